//! Checks on the bytes of a frame before anything is allocated for its content.

/// The limit that a text breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    #[error("nested too deeply")]
    TooDeep,
    #[error("a string holds half a surrogate pair")]
    LoneSurrogate,
    #[error("a member's name is longer than {MAX_NAME} bytes")]
    LongName,
}

/// In bytes, escaped. Error paths (`details.field`) hold names.
const MAX_NAME: usize = 1024;

/// Refuses nesting beyond `limit`, long member names and unpaired surrogates.
///
/// Recursive parsers overflow the stack on deep nesting; `serde_json` refuses more than 128 levels, but
/// `RawValue` is skipped without that limit. An unpaired surrogate has no UTF-8 form: a `RawValue` that
/// holds one would be refused by another reader later. The rest of the grammar is left to the parser.
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
            b'"' => {
                let end = string(bytes, at)?;
                if end - at > MAX_NAME + 1 && is_name(bytes, end) {
                    return Err(ScanError::LongName);
                }
                at = end;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The number of values in a checked text: itself, and everything in arrays and objects.
pub(super) fn values(bytes: &[u8]) -> Result<usize, ScanError> {
    let mut values = 1;
    // Whether the last token opened an array or object.
    let mut opened = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'}' | b']' => opened = false,
            b',' => values += 1,
            _ => {
                values += usize::from(opened);
                opened = matches!(byte, b'{' | b'[');
                if *byte == b'"' {
                    at = string(bytes, at)?;
                }
            }
        }
    }
    Ok(values)
}

/// Returns whether the string that ends at `end` is a member name.
fn is_name(bytes: &[u8], end: usize) -> bool {
    let next = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
    next == Some(&b':')
}

/// The position after the string whose content starts at `at`.
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
    fn values_are_counted_with_their_containers() {
        for (text, count) in [
            ("1", 1),
            (r#""a,[b""#, 1),
            ("[]", 1),
            ("[ ]", 1),
            ("[1]", 2),
            (" [ 1 , 2 ] ", 3),
            ("[[],[[]],{}]", 5),
            (r#"{"a":1,"b":[2,{"c":"x,y"}]}"#, 6),
            (r#"{"a":{"b":{}}}"#, 3),
            ("[-1.5e3,true,null]", 4),
        ] {
            assert_eq!(values(text.as_bytes()), Ok(count), "{text}");
        }
    }

    #[test]
    fn only_member_names_have_to_be_short() {
        let long = "x".repeat(MAX_NAME);
        for good in [format!("\"{long}y\""), format!("{{\"{long}\":1}}")] {
            assert_eq!(check(good.as_bytes(), 9), Ok(()), "{good}");
        }
        for bad in [
            format!("{{\"{long}y\":1}}"),
            format!("{{\"{long}y\" \n: 1}}"),
        ] {
            assert_eq!(check(bad.as_bytes(), 9), Err(ScanError::LongName), "{bad}");
        }
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
