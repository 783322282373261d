//! `sed`.

use super::facts::Facts;
use super::options::CommandLine;
use crate::word::Word;

pub(super) fn describe(line: &CommandLine, args: &[Word], start: usize, facts: &mut Facts) {
    let texts = line.options.iter().filter(|option| option.is("expression"));
    let texts = texts.map(|option| (option.end - 1, option.value()));
    let first = line.operands.first().filter(|_| !line.gives_first());
    let first = first.map(|index| (*index, args.get(*index)));
    let special = texts.chain(first).filter_map(|(index, text)| {
        let prints = text.and_then(Word::known).is_some_and(only_prints);
        (!prints).then_some(start + index)
    });
    facts.special.extend(special.collect::<Vec<_>>());
    facts.is_writing = facts.has_special_from(start);
}

/// Returns whether a script only selects, prints and substitutes.
fn only_prints(script: &str) -> bool {
    let mut rest = script.trim();
    while !rest.is_empty() {
        let Some(after) = command(rest) else {
            return false;
        };
        rest = after.trim_start_matches([' ', ';', '\n']);
    }
    true
}

/// The rest of the script after its first command, if that one is harmless.
fn command(script: &str) -> Option<&str> {
    let mut rest = address(script)?;
    if let Some(second) = rest.strip_prefix(',') {
        rest = address(second)?;
    }
    rest = rest.trim_start_matches([' ', '!']);
    let letter = rest.chars().next()?;
    rest = &rest[letter.len_utf8()..];
    match letter {
        'p' | 'd' | '=' | 'q' | 'P' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' => {}
        's' => {
            let delimiter = rest.chars().next().filter(char::is_ascii_punctuation)?;
            rest = &rest[1..];
            rest = past(rest, delimiter)?;
            rest = past(rest, delimiter)?;
            rest = rest.trim_start_matches(['g', 'p', 'i', 'I', 'm', 'M']);
            rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
            rest = rest.trim_start_matches(['g', 'p', 'i', 'I', 'm', 'M']);
        }
        _ => return None,
    }
    let is_end = rest.is_empty() || rest.starts_with([' ', ';', '\n']);
    is_end.then_some(rest)
}

fn address(script: &str) -> Option<&str> {
    if let Some(rest) = script.strip_prefix('$') {
        return Some(rest);
    }
    if let Some(rest) = script.strip_prefix('/') {
        return past(rest, '/').map(|rest| rest.trim_start_matches('I'));
    }
    Some(script.trim_start_matches(|letter: char| letter.is_ascii_digit() || "+~".contains(letter)))
}

/// A bracket expression, without its closing bracket. A `]` in the first place is literal.
fn in_bracket(text: &str) -> &str {
    let end = text
        .char_indices()
        .skip(2)
        .find(|(_, letter)| *letter == ']');
    &text[..end.map_or(text.len(), |(index, _)| index)]
}

/// The text after the next `delimiter`. A bracket expression is refused, since the delimiter is literal in
/// one.
fn past(text: &str, delimiter: char) -> Option<&str> {
    let mut letters = text.char_indices();
    while let Some((index, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '\n' => return None,
            '[' if in_bracket(&text[index..]).contains(delimiter) => return None,
            _ if letter == delimiter => return Some(&text[index + letter.len_utf8()..]),
            _ => {}
        }
    }
    None
}
