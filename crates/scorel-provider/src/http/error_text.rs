use scorel_engine::ProviderError;

use crate::Secret;

/// The part of a provider's error message that is shown, in characters: enough for any message, little of an
/// HTML page.
const LIMIT: usize = 600;

/// The error without the key, which providers echo in some of them.
pub(crate) fn redacted(mut error: ProviderError, key: Option<&Secret>) -> ProviderError {
    error.message = error_text(&error.message, key);
    error
}

/// Redacts the key, then cuts the text. In this order: a key that is cut in two would not be found.
pub(crate) fn error_text(text: &str, key: Option<&Secret>) -> String {
    let text = key.map_or_else(|| text.to_owned(), |key| key.redact(text));
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, error_text};
    use crate::Secret;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = error_text(&"ä".repeat(LIMIT + 1), None);
        assert_eq!(text.chars().count(), LIMIT + 1);
        assert!(text.ends_with('…'));
    }

    #[test]
    fn a_key_at_the_cut_does_not_show() {
        let text = format!("{}sk-0123456789", "x".repeat(LIMIT - 5));
        let shown = error_text(&text, Some(&Secret::new("sk-0123456789")));
        assert!(!shown.contains("sk-"), "{shown}");
    }
}
