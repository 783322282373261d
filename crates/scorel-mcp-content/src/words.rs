//! Words of a typed line.

/// The words, which quotes keep together. A quote inside a word is a character, as in `it's`; one that is not closed
/// reaches to the end.
pub(crate) fn words(text: &str) -> Vec<String> {
    let (mut words, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let (word, after) = match first {
            quote @ ('"' | '\'') => rest[1..].split_once(quote).unwrap_or((&rest[1..], "")),
            _ => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    words
}
