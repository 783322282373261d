//! Files that a part of a word may name.

use super::facts::Facts;
use crate::word::Word;

/// Letters that begin a name and may be in one too, as in `name=@file`.
const BEGINNINGS: [char; 3] = ['@', '=', '<'];

/// Letters that end a name, and begin the next one.
const ENDS: [char; 5] = [':', ',', ';', '"', '\''];

/// The greatest number of names that begin between two ends. They overlap, so that each costs as much as the rest.
const MOST_OVERLAPS: usize = 64;

/// Records the files that a word names in a part, and doubts if these are not all.
pub(super) fn add_reads(word: &Word, facts: &mut Facts) {
    let (named, is_whole) = embedded(word);
    facts.reads.extend(named);
    if !is_whole {
        facts.obscure = Some("it may name too many files".to_owned());
    }
}

/// The files that may be named inside of a word, as in `@file`, `name=@file;type=x`, `file:///x` and
/// `file:/x`, and whether these are all.
fn embedded(word: &Word) -> (Vec<Word>, bool) {
    let mut named = Vec::new();
    let mut is_whole = true;
    let mut start = 0;
    for stretch in word.text.split(ENDS) {
        let end = start + stretch.len();
        let is_last = end == word.text.len();
        let piece = |from: usize| match is_last {
            true => word.after(from),
            false => Word::literal(&word.text[from..end]),
        };
        let beginnings = stretch.match_indices(BEGINNINGS);
        let beginnings = beginnings.map(|(index, mark)| index + mark.len());
        let mut beginnings = [0].into_iter().chain(beginnings);
        for beginning in beginnings.by_ref().take(MOST_OVERLAPS) {
            let from = start + beginning;
            let names = places(&stretch[beginning..]).map(|skipped| from + skipped);
            // The whole word is not part of it.
            let names = names.filter(|from| if is_last { *from > 0 } else { *from < end });
            named.extend(names.map(piece));
        }
        is_whole &= beginnings.next().is_none();
        start = end + 1;
    }
    (named, is_whole)
}

/// Where a path may begin in a text: at once, and behind `//` without a host and with one.
fn places(text: &str) -> impl Iterator<Item = usize> {
    let slashes = if text.starts_with("//") { 2 } else { 0 };
    let host = text[slashes..].find('/').unwrap_or(0);
    let mut all = vec![0, slashes, slashes + host];
    all.dedup();
    all.into_iter()
}

/// The value attached to an option: after `=`, or after its letter if it looks like a path.
pub(super) fn option_value(option: &Word) -> Option<Word> {
    if let Some(equals) = option.text.find('=') {
        return Some(option.after(equals + 1));
    }
    if !option.is_known() {
        return Some(Word::unknown(""));
    }
    let is_path =
        !option.text.starts_with("--") && option.text.contains('/') || option.text.contains("..");
    let value = option.text.char_indices().nth(2).map(|(index, _)| index)?;
    (is_path && option.text.get(value..) != Some("/")).then(|| option.after(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(word: &str) -> Vec<String> {
        let (named, is_whole) = embedded(&Word::literal(word));
        assert!(is_whole, "{word}");
        named.into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn each_file_that_a_word_names_is_found() {
        for (word, file) in [
            ("@a", "a"),
            ("@a=b", "a=b"),
            ("@a@b", "a@b"),
            ("x=@a;type=y", "a"),
            ("x=<a", "a"),
            ("'@a b'", "a b"),
            ("file:///a/b", "/a/b"),
            ("file://host/a/b", "/a/b"),
            ("file:/a/b", "/a/b"),
            ("x,y=/a/b,z", "/a/b"),
            ("host:8080/a/b", "/a/b"),
            ("a/b:c", "a/b"),
        ] {
            assert!(
                texts(word).iter().any(|it| it == file),
                "{word}: {:?}",
                texts(word)
            );
        }
        assert_eq!(texts("a/b"), ["/b"]);
    }

    /// Four times the letters give at most four times as many letters to compare.
    #[test]
    fn the_work_grows_no_faster_than_the_word() {
        let letters = |word: &str| {
            let (named, _) = embedded(&Word::literal(word));
            named.iter().map(|it| it.text.len() + 1).sum::<usize>()
        };
        for unit in [
            "@",
            "=",
            "<",
            ":",
            ",",
            ";",
            "\"",
            "'",
            "/",
            "//",
            "@a",
            "a=b,",
            "@:",
            "@/",
            ":/",
            "=//x/",
            "file:///a=@b;",
        ] {
            let of = |length: usize| letters(&unit.repeat(length / unit.len()));
            let (short, long) = (of(10_000), of(40_000));
            assert!(long <= 4 * short + 200_000, "{unit}: {short}, {long}");
            assert!(long <= 200 * 40_000, "{unit}: {long}");
        }
        assert!(!embedded(&Word::literal("@".repeat(100))).1);
    }
}
