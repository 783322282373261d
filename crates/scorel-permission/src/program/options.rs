//! Options and operands, as most programs parse them.

use crate::shell::{Word, WordKind};

/// The arguments that may be paths: values of options, and operands after the first `skipped`, which are
/// something else.
pub(super) fn operands(args: &[Word], skipped: usize) -> Vec<Word> {
    let mut operands = Vec::new();
    let mut skipped = skipped;
    let mut is_option_possible = true;
    for word in args {
        if is_option_possible && word.known() == Some("--") {
            is_option_possible = false;
        } else if is_option_possible && word.text.starts_with('-') && word.text != "-" {
            operands.extend(option_value(word));
        } else if skipped > 0 && word.kind != WordKind::Unknown {
            skipped -= 1;
        } else if word.text != "-" || !word.is_known() {
            operands.push(word.clone());
        }
    }
    operands
}

/// The value attached to an option: after `=`, or after its letter if it looks like a path.
fn option_value(option: &Word) -> Option<Word> {
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

/// Whether `word` is the long option `option`, possibly abbreviated or with a value.
pub(super) fn is_long(word: &str, option: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    name.len() > 2 && name.starts_with("--") && option.starts_with(name)
}

/// Whether `word` is a group of short options that contains one of `letters`.
pub(super) fn has_short(word: &str, letters: &str) -> bool {
    word.strip_prefix('-').is_some_and(|group| {
        !group.starts_with('-') && group.contains(|letter| letters.contains(letter))
    })
}
