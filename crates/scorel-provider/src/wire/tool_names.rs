use std::borrow::Cow;

use super::digest;

/// The longest name that every API takes, in bytes.
const LONGEST: usize = 64;
/// Hex digits of the digest that keeps replaced names apart.
const DIGITS: usize = 8;

/// The name to send for a tool that a model called.
///
/// Models call names that were never offered (`functions.Read:0`, `a b`, none at all). The record keeps
/// them, but an endpoint that is sent one refuses this request and every later one. A name that no API
/// refuses stays; any other one becomes a readable form of it, with a digest of the whole, so that
/// different names stay different.
///
/// The result depends on nothing but the name: a request's beginning stays the same when the
/// conversation grows.
pub(crate) fn sent_tool_name(name: &str) -> Cow<'_, str> {
    if (1..=LONGEST).contains(&name.len()) && name.bytes().all(is_plain) {
        return name.into();
    }
    replaced(name).into()
}

/// The same for Gemini, whose names begin with a letter or an underscore.
pub(crate) fn sent_function_name(name: &str) -> Cow<'_, str> {
    let sent = sent_tool_name(name);
    match sent.as_bytes().first() {
        Some(first) if first.is_ascii_alphabetic() || *first == b'_' => sent,
        _ => replaced(&format!("_{name}")).into(),
    }
}

fn replaced(name: &str) -> String {
    let room = LONGEST - DIGITS - 1;
    let plain = |char: char| match u8::try_from(char) {
        Ok(byte) if is_plain(byte) => char,
        _ => '_',
    };
    let readable: String = name.chars().take(room).map(plain).collect();
    let readable = if readable.is_empty() {
        "unnamed"
    } else {
        &readable
    };
    format!("{readable}_{}", digest(name, DIGITS))
}

const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::{sent_function_name, sent_tool_name};

    #[test]
    fn names_that_every_api_takes_stay() {
        let longest = "x".repeat(64);
        for name in [
            "Read",
            "mcp__files-2__read",
            "9lives",
            "-",
            longest.as_str(),
        ] {
            assert_eq!(sent_tool_name(name), name);
        }
        assert_eq!(sent_function_name("_Read"), "_Read");
    }

    #[test]
    fn other_names_become_readable_and_stay_apart() {
        let long = "x".repeat(65);
        let longer = "x".repeat(66);
        let names = [
            "",
            " ",
            "functions.Read:0",
            "functions_Read:0",
            "größe",
            &long,
            &longer,
        ];
        let sent = names.map(sent_tool_name);
        assert!(sent[2].starts_with("functions_Read_0_"), "{}", sent[2]);
        for (place, name) in sent.iter().enumerate() {
            assert!((1..=64).contains(&name.len()), "{name}");
            assert_eq!(sent_tool_name(name), *name);
            assert!(!sent[..place].contains(name), "{name}");
        }
    }

    #[test]
    fn functions_of_gemini_begin_with_a_letter_or_an_underscore() {
        for name in ["9lives", "-", &"9".repeat(64)] {
            let sent = sent_function_name(name);
            assert!(sent.starts_with('_'), "{sent}");
            assert_eq!(sent_function_name(&sent), sent);
        }
    }
}
