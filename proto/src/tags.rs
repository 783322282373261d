//! Our tags in what a model reads, which nothing but this program may open or close.
//!
//! The model takes a tag of ours for the program's own word. So all text that comes from elsewhere passes
//! [`without_our_tags`] where it is rendered, and [`reminder`] is the only maker of reminders.

use std::borrow::Cow;

use crate::Block;

/// The tag around the content of an attachment.
pub(crate) const ATTACHED_FILE: &str = "attached-file";

/// The tag around the program's own words.
const REMINDER: &str = "system-reminder";

/// The program's word to the model, which may hold text from elsewhere.
pub fn reminder(text: &str) -> String {
    format!("<{REMINDER}>\n{}\n</{REMINDER}>", without_our_tags(text))
}

/// A text from elsewhere, with a backslash in each tag that is ours: it must not seem to come from the
/// program, from the user or from another file.
pub fn without_our_tags(text: &str) -> Cow<'_, str> {
    without_tags(text, &[ATTACHED_FILE, REMINDER])
}

/// The text with a backslash after the `<` of each of these tags, opening or closing.
pub fn without_tags<'a>(text: &'a str, tags: &[&str]) -> Cow<'a, str> {
    let places: Vec<usize> = text
        .match_indices('<')
        .filter(|(at, _)| is_one_of(&text[at + 1..], tags))
        .map(|(at, _)| at + 1)
        .collect();
    if places.is_empty() {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + places.len());
    let mut from = 0;
    for at in places {
        escaped.push_str(&text[from..at]);
        escaped.push('\\');
        from = at;
    }
    escaped.push_str(&text[from..]);
    escaped.into()
}

/// The same content with the tags of its texts escaped. Attached files are escaped where they are
/// rendered.
pub(crate) fn foreign(content: &[Block]) -> Vec<Block> {
    let mut content = content.to_vec();
    for block in &mut content {
        if let Block::Text { text, .. } | Block::Blob { preview: text, .. } = block
            && let Cow::Owned(escaped) = without_our_tags(text)
        {
            *text = escaped;
        }
    }
    content
}

/// Returns whether one of the tags goes on like this after its `<`.
fn is_one_of(rest: &str, tags: &[&str]) -> bool {
    let name = rest.trim_start_matches(|char: char| char == '/' || char.is_whitespace());
    tags.iter().any(|tag| {
        let start = name.as_bytes().get(..tag.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
    })
}
