/// How much of an unbounded text an error message quotes, in characters.
const QUOTED_CHARS: usize = 200;

/// The beginning of a text that a model or a panic made, cut so that it cannot fill the context.
pub(super) fn quote(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
