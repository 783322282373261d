//! `find`.

use super::facts::{Facts, Inner};
use super::table;
use super::usage::{marks, values};
use crate::word::Word;

const RUNNING: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

pub(super) fn find(args: &[Word], start: usize, facts: &mut Facts) {
    let first = leading_options(args);
    let starts = args[first..]
        .iter()
        .take_while(|word| !begins_expression(word));
    facts.paths = starts.cloned().collect();
    let mut index = first + facts.paths.len();
    // A word that is not known may be a starting point too, and a file may list them.
    let is_unclear = |word: &Word| !word.is_known() || word.text == "-D";
    let has_other_starts = args.get(index).is_some_and(is_unclear)
        || args.iter().any(|word| word.text == "-files0-from");
    let found = if has_other_starts {
        Word::unknown("")
    } else {
        found(&facts.paths)
    };
    let mut runs = Vec::new();
    let mut is_harmless = true;
    while let Some(word) = args.get(index) {
        match word.known() {
            Some(action) if RUNNING.contains(&action) => {
                let rest = &args[index + 1..];
                let length = length(rest);
                facts.special.extend([start + index, start + index + 1]);
                if action.starts_with("-ok") {
                    facts.obscure = Some("it asks on a terminal".to_owned());
                }
                runs.push(with_found(&rest[..length], &found));
                index += length + 1;
            }
            Some(option) if option.starts_with('-') && !is_number(option) => {
                let known = table::usage("find").and_then(|usage| usage.find(option));
                let values = known.map_or(0, |token| values(marks(token)));
                let values = args.get(index + 1..=index + values).unwrap_or_default();
                if known.is_none() || values.iter().any(|word| word.may_split) {
                    facts.special.push(start + index);
                    is_harmless = false;
                }
                if known.is_some_and(|token| token.ends_with('<')) {
                    facts.reads.extend_from_slice(values);
                }
                index += values.len();
            }
            None if word.may_be_option() => {
                facts.special.push(start + index);
                is_harmless = false;
            }
            Some(_) | None => {}
        }
        index += 1;
    }
    facts.is_harmless = is_harmless;
    facts.discards = match facts.paths.as_slice() {
        _ if has_other_starts => vec![Word::unknown("")],
        [] => vec![Word::literal(".")],
        starts => starts.to_vec(),
    };
    for words in runs {
        if words.is_empty() {
            facts.obscure = Some("what it runs is not known".to_owned());
        } else {
            facts.runs.push(Inner::Words { words, program: 0 });
        }
    }
}

/// The number of words before the starting points: options about links, the optimizer and diagnostics.
fn leading_options(args: &[Word]) -> usize {
    let mut index = 0;
    while let Some(option) = args.get(index).and_then(Word::known) {
        index += match option {
            "-H" | "-L" | "-P" => 1,
            "-D" if args.get(index + 1).is_some_and(|word| !word.may_split) => 2,
            "--" => return index + 1,
            _ if option.starts_with("-O") => 1,
            _ => break,
        };
    }
    index
}

/// The length of the inner command in words: up to `;`, or to a `+` after `{}`.
fn length(words: &[Word]) -> usize {
    let is_end = |index: usize| match words[index].known() {
        Some(";") => true,
        Some("+") => index > 0 && words[index - 1].known() == Some("{}"),
        _ => false,
    };
    (0..words.len())
        .find(|index| is_end(*index))
        .unwrap_or(words.len())
}

fn begins_expression(word: &Word) -> bool {
    word.may_be_option() || matches!(word.known(), Some("!" | "(" | ")" | ","))
}

fn is_number(option: &str) -> bool {
    option[1..].starts_with(|letter: char| letter.is_ascii_digit())
}

/// The value of `{}`: an unknown path below a starting point.
fn found(starts: &[Word]) -> Word {
    match starts {
        [] => Word::glob("./*"),
        [start] if start.is_known() => {
            Word::glob(format!("{}/*", start.text.trim_end_matches('/')))
        }
        _ => Word::unknown(""),
    }
}

fn with_found(words: &[Word], found: &Word) -> Vec<Word> {
    words
        .iter()
        .map(|word| match word.text.find("{}") {
            Some(_) if word.known() == Some("{}") => found.clone(),
            Some(position) => word.replaced_from(position),
            None => word.clone(),
        })
        .collect()
}
