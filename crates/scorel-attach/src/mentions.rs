//! Files that a typed message mentions with `@path`.

/// A typed message, as it is sent, and the files that it mentions.
#[derive(Debug, PartialEq, Eq)]
pub struct Mentions {
    /// With `@` where `\@` was typed at the start of a word.
    pub text: String,
    /// As they were typed, without `@`; each one once.
    pub paths: Vec<String>,
}

impl Mentions {
    /// Finds the files in `text`. `is_file` tells whether a path names one that can be attached.
    pub fn of(text: &str, is_file: impl Fn(&str) -> bool) -> Self {
        let mut found = Self {
            text: String::with_capacity(text.len()),
            paths: Vec::new(),
        };
        let mut before = None;
        for (at, char) in text.char_indices() {
            let rest = &text[at..];
            if begins_word(before) && rest.starts_with("\\@") {
                before = Some(char);
                continue;
            }
            if begins_word(before)
                && let Some(word) = rest.strip_prefix('@')
                && let Some(path) = path_in(word, &is_file)
                && !found.paths.iter().any(|known| known == path)
            {
                found.paths.push(path.to_owned());
            }
            found.text.push(char);
            before = Some(char);
        }
        found
    }
}

/// Returns whether a word begins after this character.
fn begins_word(before: Option<char>) -> bool {
    before.is_none_or(|char| char.is_whitespace() || "([{<\"'`".contains(char))
}

/// The path at the beginning of a text: up to white space, or less if what follows is punctuation or the
/// number of a line.
fn path_in<'a>(text: &'a str, is_file: &impl Fn(&str) -> bool) -> Option<&'a str> {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let mut path = &text[..end];
    while !path.is_empty() {
        if is_file(path) {
            return Some(path);
        }
        path = shorter(path)?;
    }
    None
}

/// The path without its last punctuation, or without `:42`.
fn shorter(path: &str) -> Option<&str> {
    let last = path.chars().next_back()?;
    if !last.is_alphanumeric() {
        return Some(&path[..path.len() - last.len_utf8()]);
    }
    let number = path.trim_end_matches(|char: char| char.is_ascii_digit());
    number
        .strip_suffix(':')
        .filter(|_| number.len() < path.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 6] = ["src/main.rs", "a", "a.", "Größe.txt", ".env", "notes~"];

    fn mentions(text: &str) -> Mentions {
        Mentions::of(text, |path| FILES.contains(&path))
    }

    #[test]
    fn a_path_at_the_start_of_a_word_is_found_without_the_punctuation_after_it() {
        for (text, paths) in [
            ("look at @src/main.rs, please", &["src/main.rs"][..]),
            ("@src/main.rs", &["src/main.rs"]),
            ("(see @src/main.rs)?!", &["src/main.rs"]),
            ("\"@src/main.rs\" and `@.env`.", &["src/main.rs", ".env"]),
            ("@src/main.rs:42: why?", &["src/main.rs"]),
            ("@src/main.rs:42:7", &["src/main.rs"]),
            ("@a @a\n\t@src/main.rs", &["a", "src/main.rs"]),
            ("is it @a.", &["a."]),
            ("is it @a..", &["a."]),
            ("@Größe.txt\u{3002}", &["Größe.txt"]),
            ("@notes~", &["notes~"]),
        ] {
            let found = mentions(text);
            assert_eq!(found.paths, paths, "{text}");
            assert_eq!(found.text, text);
        }
    }

    #[test]
    fn other_words_stay_text() {
        for text in [
            "@todo",
            "user@a",
            "@",
            "@@a",
            "a @ a",
            "@src/main.rsx",
            "@src",
            "x\\@a",
            "@a42:",
            "@a/",
            "@src/main.rs42",
        ] {
            let found = mentions(text);
            // `a/` names no regular file, but its beginning does.
            let expected: &[&str] = if text == "@a/" { &["a"] } else { &[] };
            assert_eq!(found.paths, expected, "{text}");
            assert_eq!(found.text, text);
        }
    }

    #[test]
    fn a_backslash_keeps_a_file_from_being_attached() {
        for (text, sent) in [
            ("\\@a", "@a"),
            (
                "read \\@src/main.rs and (\\@todo)",
                "read @src/main.rs and (@todo)",
            ),
            ("\\\\@a", "\\\\@a"),
        ] {
            let found = mentions(text);
            assert_eq!(
                (found.text.as_str(), found.paths.len()),
                (sent, 0),
                "{text}"
            );
        }
    }
}
