//! A pass over the bytes before anything is built from them.

/// Why a text is not even looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ScanError {
    #[error("nested too deeply")]
    TooDeep,
    #[error("a string holds half a surrogate pair")]
    LoneSurrogate,
}

/// Refuses nesting beyond `limit` and escapes that are no characters. Strings are recognised, the
/// rest of the grammar is left to the parser.
pub(super) fn check(bytes: &[u8], limit: usize) -> Result<(), ScanError> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => {
                depth += 1;
                if depth > limit {
                    return Err(ScanError::TooDeep);
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => at = string(bytes, at)?,
            _ => {}
        }
    }
    Ok(())
}

/// The position after the string that begins at `at`.
fn string(bytes: &[u8], mut at: usize) -> Result<usize, ScanError> {
    let mut high = false;
    loop {
        let Some(step) = memchr::memchr2(b'"', b'\\', &bytes[at..]) else {
            return Ok(bytes.len());
        };
        let escape = bytes[at + step] == b'\\';
        let unit = escape.then(|| unit(&bytes[at + step..])).flatten();
        let low = unit.is_some_and(|unit| (0xDC00..=0xDFFF).contains(&unit));
        if low != (high && step == 0) || (high && !low) {
            return Err(ScanError::LoneSurrogate);
        }
        high = unit.is_some_and(|unit| (0xD800..=0xDBFF).contains(&unit));
        at += step
            + if unit.is_some() {
                6
            } else if escape {
                2
            } else {
                1
            };
        if !escape {
            return Ok(at);
        }
        if at > bytes.len() {
            return Ok(bytes.len());
        }
    }
}

/// The UTF-16 unit of a `\uXXXX` escape.
fn unit(escape: &[u8]) -> Option<u16> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_counted_outside_strings() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(check(nested(64).as_bytes(), 64), Ok(()));
        for depth in [65, 129, 100_000] {
            assert_eq!(check(nested(depth).as_bytes(), 64), Err(ScanError::TooDeep));
        }
        assert_eq!(
            check(format!(r#""{}\"[[""#, "[".repeat(99)).as_bytes(), 1),
            Ok(())
        );
        assert_eq!(check(r#"["\\",[["#.as_bytes(), 2), Err(ScanError::TooDeep));
        assert_eq!(check("[{},[],{}]".as_bytes(), 2), Ok(()));
    }

    #[test]
    fn surrogates_come_in_pairs() {
        for good in [
            r#""\ud83d\ude00""#,
            r#""\u0041\n\ud83d\ude00\"""#,
            r#""\\ud83d""#,
            r#""\"#,
        ] {
            assert_eq!(check(good.as_bytes(), 9), Ok(()), "{good}");
        }
        for bad in [
            r#""\ud83d""#,
            r#""\ude00""#,
            r#""\ud83d \ude00""#,
            r#""\ud83d\n""#,
            r#""\ud83d\ud83d\ude00""#,
            r#""\ude00\ud83d""#,
            r#""\uD83Dx""#,
        ] {
            assert_eq!(
                check(bad.as_bytes(), 9),
                Err(ScanError::LoneSurrogate),
                "{bad}"
            );
        }
    }
}
