use crate::Block;

/// The length limit of an opening, in characters.
const OPENING_CHARS: usize = 80;

/// The first line of a message's text, shortened to 80 characters; `None` without text. Of a workflow run's
/// message it is that of a person's words.
pub fn opening(content: &[Block]) -> Option<String> {
    let text = content.iter().find_map(|block| match block {
        Block::Text { .. } if !block.is_folded() => Some(block.shown_text()),
        _ => None,
    })?;
    let line = text.trim().lines().next()?;
    let opening: String = line
        .chars()
        .filter(|char| !char.is_control())
        .take(OPENING_CHARS)
        .collect();
    (!opening.is_empty()).then_some(opening)
}
