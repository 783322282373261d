//! Cutting text at character boundaries.

/// The largest index up to `at` that does not split a character.
pub(crate) fn floor_char_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|index| text.is_char_boundary(*index))
        .unwrap_or(0)
}
