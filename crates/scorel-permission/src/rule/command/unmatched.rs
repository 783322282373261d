//! Patterns that no command can match.
//!
//! A denying rule that never matches is worse than none, and an allowing one is a riddle. So they are
//! errors where they are written.

use scorel_shell::is_harmless_for_programs;

use super::wildcard::Wildcard;
use crate::rule::RuleErrorKind;

/// Characters that end a command, or make what follows no argument of it.
const OPERATORS: [char; 6] = ['&', '|', ';', '<', '>', '\n'];

/// `words` are those of `pattern`. Errors have their position in it.
pub(super) fn check(pattern: &str, words: &[Wildcard]) -> Result<(), (usize, RuleErrorKind)> {
    let bare = bare_words(pattern);
    for (position, word) in &bare {
        if is_operator(word) && !ends_find(word, &bare) {
            return Err((*position, operator(pattern, *position, word)));
        }
        if expands(word) {
            return Err((*position, RuleErrorKind::Expansion(word.clone())));
        }
    }
    if let Some((name, _)) = bare.first().and_then(|(_, word)| word.split_once('='))
        && is_harmless_for_programs(name)
    {
        return Err((0, assignment(pattern, name)));
    }
    let Some(program) = words.first().and_then(Wildcard::literal) else {
        return Ok(());
    };
    if program.contains(' ') && !program.contains(['/', '=']) {
        let kind = RuleErrorKind::Spaces {
            suggestion: format!("{program} *"),
            name: program,
        };
        return Err((0, kind));
    }
    if program.starts_with("../") {
        return Err((0, RuleErrorKind::ProgramOutside));
    }
    Ok(())
}

/// Returns whether an unquoted word is an operator or a redirection. One inside a word is none: commands have
/// it in quotes, as in the address of a page.
fn is_operator(word: &str) -> bool {
    let redirected = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    word.chars().all(|letter| OPERATORS.contains(&letter))
        || redirected.starts_with(['<', '>'])
        || word.starts_with("&>")
        || word.ends_with(';')
}

/// Returns whether the word is the argument that ends the command of `find -exec`.
fn ends_find(word: &str, words: &[(usize, String)]) -> bool {
    let starts = |(_, word): &(usize, String)| word.starts_with("-exec") || word.starts_with("-ok");
    word == ";" && words.iter().any(starts)
}

fn operator(pattern: &str, position: usize, word: &str) -> RuleErrorKind {
    let kept = word.trim_end_matches(';').chars().count();
    let is_ended = word.ends_with(';') && kept > 0;
    let end = position + if is_ended { kept } else { 0 };
    let before: String = pattern.chars().take(end).collect();
    let before = before.trim();
    RuleErrorKind::Operator {
        operator: if is_ended { ";" } else { word }.escape_debug().to_string(),
        suggestion: (!before.is_empty()).then(|| before.to_owned()),
    }
}

fn assignment(pattern: &str, name: &str) -> RuleErrorKind {
    let (_, rest) = pattern.trim().split_once(' ').unwrap_or_default();
    RuleErrorKind::Assignment {
        name: name.to_owned(),
        suggestion: match rest.trim() {
            "" => "*".to_owned(),
            rest => rest.to_owned(),
        },
    }
}

/// The words with their positions, each without its quoted text.
fn bare_words(pattern: &str) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    let mut quote = None;
    let mut letters = pattern.chars().enumerate();
    while let Some((position, letter)) = letters.next() {
        if quote.is_none() && matches!(letter, ' ' | '\t') {
            is_open = false;
            continue;
        }
        if !is_open {
            words.push((position, String::new()));
            is_open = true;
        }
        let bare = match (quote, letter) {
            (Some(open), _) => {
                quote = quote.filter(|_| letter != open);
                None
            }
            (None, '\\') => {
                letters.next();
                Some('\\')
            }
            (None, '\'' | '"') => {
                quote = Some(letter);
                Some(letter)
            }
            (None, _) => Some(letter),
        };
        if let Some((_, word)) = words.last_mut() {
            word.extend(bare);
        }
    }
    words
}

/// Returns whether the unquoted text has an expansion with `$` or a backquote.
fn expands(word: &str) -> bool {
    let mut letters = word.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied().unwrap_or(' ');
        if letter == '`' || letter == '$' && (next.is_alphanumeric() || "_{(@*#?!".contains(next)) {
            return true;
        }
    }
    false
}
