//! The size of a text in tokens, before a model has counted it.

/// Estimates the tokens of a text: too many rather than too few, because it is compared with budgets.
///
/// The factors are tokens per character, by the length of the character in UTF-8: ASCII, most other
/// alphabets, Chinese, Japanese and Korean, and emoji.
pub(crate) fn estimate_tokens(text: &str) -> u64 {
    token_hundredths(text).div_ceil(100)
}

/// The estimate in hundredths of a token, which add up: rounded tokens of many lines do not.
pub(super) fn token_hundredths(text: &str) -> u64 {
    text.chars()
        .map(|char| match char.len_utf8() {
            1 => 28,
            2 => 50,
            3 => 120,
            _ => 250,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn every_alphabet_has_its_factor() {
        for (text, tokens) in [("", 0), ("abcd", 2), ("éé", 1), ("漢字", 3), ("🎉", 3)] {
            assert_eq!(estimate_tokens(text), tokens, "{text}");
        }
    }
}
