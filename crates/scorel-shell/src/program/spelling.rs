//! Other ways to write a command, which denying and asking rules match too.
//!
//! People write a rule in one way, `Bash(rm -r *)`, and commands come in many: `rm -fr x`,
//! `rm x --recursive`. Each option is therefore also spelled as the first one, by each of its names.

use std::collections::HashSet;

use super::options::CommandLine;
use super::{git, language, subcommand, table};
use crate::word::Word;

/// Letters of all spellings together, besides a few that are always made: they are compared with every
/// rule. A word costs as much as `WORD` letters.
const MOST_LETTERS: usize = 320_000;
const WORD: usize = 16;

/// Spellings that are made however long the command is.
const FEW: usize = 4;

/// The spellings of a command: without its program's directory, without assignments, and with each
/// option in the first place. Also returns whether these are all.
pub(super) fn spellings(base: &str, words: &[Word], program: usize) -> (Vec<Vec<Word>>, bool) {
    let args = &words[program + 1..];
    let mut plain = vec![Word::literal(base)];
    plain.extend_from_slice(args);
    let mut spellings = vec![plain];
    spellings.extend(match base {
        "git" => git::spellings(args),
        _ => subcommand::spellings(base, args),
    });
    spellings.extend(language::module(base, args));
    let mut is_whole = true;
    for index in 0..spellings.len() {
        let (hoisted, are_all) = hoisted(&spellings[index]);
        spellings.extend(hoisted);
        is_whole &= are_all;
    }
    (spellings, is_whole)
}

/// The command once for each option, which then follows the program or its subcommand, and whether each
/// has its turn.
fn hoisted(words: &[Word]) -> (Vec<Vec<Word>>, bool) {
    let (program, rest) = words.split_at(head(words));
    let cost = words
        .iter()
        .map(|word| word.text.len() + WORD)
        .sum::<usize>();
    let limit = FEW.max(MOST_LETTERS / cost.max(1));
    let mut seen = HashSet::new();
    let mut options = options(program, rest).filter(|form| seen.insert(form.clone()));
    let with = |option: String| {
        let option = [Word::literal(option)];
        program.iter().chain(&option).chain(rest).cloned().collect()
    };
    let all = options.by_ref().take(limit).map(with).collect();
    (all, options.next().is_none())
}

/// The options of a command, in all their forms.
fn options<'a>(program: &[Word], rest: &'a [Word]) -> Box<dyn Iterator<Item = String> + 'a> {
    let name = |index: usize| program.get(index).map_or("", |word| word.text.as_str());
    let usage = match name(0) {
        "git" => Some(table::of_git(name(1))),
        other => table::usage(other),
    };
    let Some(usage) = usage else {
        let all = rest.iter().take_while(|word| word.known() != Some("--"));
        return Box::new(all.filter_map(Word::known).flat_map(forms));
    };
    let line = CommandLine::parse(&usage, rest);
    let unclear = line.unclear.into_iter();
    let unclear = unclear
        .filter_map(|index| rest[index].known())
        .flat_map(forms);
    let mut before = None;
    let listed = line.options.into_iter().flat_map(move |option| {
        let is_first = before.replace(option.index) != Some(option.index);
        let given = rest.get(option.index).filter(|_| is_first);
        let given = given.map(|word| word.text.clone());
        given.into_iter().chain(option.spelled())
    });
    Box::new(listed.chain(unclear))
}

/// The number of words that name the program and its subcommand.
fn head(words: &[Word]) -> usize {
    let text = |index: usize| words.get(index).and_then(Word::known).unwrap_or_default();
    let wanted = match (text(0), text(1)) {
        ("git", "worktree" | "reflog" | "submodule") => 3,
        ("git", _) => 2,
        _ => 1,
    };
    wanted.min(words.len())
}

/// A word that is an option, by itself and letter by letter.
fn forms(word: &str) -> Vec<String> {
    let Some(group) = word.strip_prefix('-').filter(|group| !group.is_empty()) else {
        return Vec::new();
    };
    let mut forms = vec![word.to_owned()];
    let is_group = group.len() > 1 && group.bytes().all(|it| it.is_ascii_alphabetic());
    if is_group {
        forms.extend(group.chars().map(|letter| format!("-{letter}")));
    }
    forms
}
