//! What is known about programs and their arguments.

mod files;
mod git;
mod language;
mod names;
mod reading;
mod search;
mod sed;
mod wrapper;

use std::path::Path;

use crate::Place;
use crate::shell::{Word, WordKind};

/// What is known about one call of a program.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The words that `*` in an allowing rule does not cover.
    pub(crate) special: Vec<usize>,
    /// Only a rule without wildcards allows it.
    pub(crate) is_exact: bool,
    /// It only reads, and only what `paths` names.
    pub(crate) is_harmless: bool,
    /// It only runs what `runs` says.
    pub(crate) is_transparent: bool,
    /// Why a person is always asked.
    pub(crate) always_ask: Option<&'static str>,
    /// Why nobody can say what it does.
    pub(crate) obscure: Option<String>,
    /// The commands that it runs.
    pub(crate) runs: Vec<Inner>,
    /// The arguments that may be paths.
    pub(crate) paths: Vec<Word>,
    /// It changes or removes what `paths` names.
    pub(crate) is_writing: bool,
    /// The directory that the shell changes to.
    pub(crate) changes_directory: Option<String>,
    /// What it may also be called in a denying or asking rule.
    pub(crate) spellings: Vec<Vec<Word>>,
}

/// A command that a program runs.
#[derive(Debug, Clone)]
pub(crate) enum Inner {
    /// A program with its arguments, after assignments.
    Words { words: Vec<Word>, program: usize },
    /// A text for a shell.
    Script(String),
}

impl Facts {
    fn special_after(&mut self, start: usize, args: &[Word], is_special: impl Fn(&str) -> bool) {
        for (index, word) in args.iter().enumerate() {
            let is_known_special = is_special(&word.text) && word.kind != WordKind::Unknown;
            if is_known_special || !word.is_known() && word.may_be_option() {
                self.special.push(start + index);
            }
        }
    }
}

/// What is known about the program at `program`, before which there are assignments.
pub(crate) fn describe(words: &[Word], program: usize, place: &Place) -> Facts {
    let mut facts = Facts::default();
    facts.special.extend(0..program);
    let Some(name) = words[program].known() else {
        facts.obscure = Some("which program it runs is only known when it runs".to_owned());
        return facts;
    };
    let args = &words[program + 1..];
    let start = program + 1;
    let base = base_name(name).to_owned();
    facts.spellings = spellings(&base, words, program);
    if let Some(reason) = names::always_ask(&base) {
        facts.always_ask = Some(reason);
    }
    let trusted = trusted_name(name);
    match trusted.unwrap_or(&base) {
        name if names::OBSCURE.contains(&name) => {
            facts.obscure = Some(format!("what `{name}` does is only known when it runs"));
        }
        "cd" => change_directory(args, place, &mut facts),
        "git" => git::describe(args, start, &mut facts),
        "find" => search::find(args, start, &mut facts),
        "sed" | "gsed" => sed::describe(args, start, &mut facts),
        "awk" | "gawk" | "mawk" | "nawk" => language::awk(args, start, &mut facts),
        name if wrapper::is_wrapper(name) => wrapper::describe(name, words, program, &mut facts),
        name if language::is_interpreter(name) => {
            language::interpreter(args, start, &mut facts);
            facts.special.push(program);
        }
        name if files::is_writing(name) => files::describe(name, args, start, &mut facts),
        name if reading::describe(name, args, start, &mut facts) => {}
        name => {
            names::other(name, args, start, &mut facts);
            facts.paths = operands(args, 0);
        }
    }
    // A program elsewhere may only share the name.
    if trusted.is_none() || program > 0 {
        facts.is_harmless = false;
    }
    if trusted.is_none() {
        facts.is_transparent = false;
    }
    if program > 0 {
        facts.is_transparent = false;
    }
    if !facts.is_harmless && facts.always_ask.is_none() {
        facts.always_ask = words.iter().find_map(|word| names::mentions(&word.text));
    }
    facts
}

/// The name without its directory.
fn base_name(name: &str) -> &str {
    Path::new(name)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or(name)
}

/// The name of a program that is looked up, or that is in a directory of the system.
fn trusted_name(name: &str) -> Option<&str> {
    let name = ["/bin/", "/usr/bin/"]
        .iter()
        .find_map(|directory| name.strip_prefix(directory))
        .unwrap_or(name);
    (!name.contains('/')).then_some(name)
}

/// Other words for the same: without the program's directory, without assignments.
fn spellings(base: &str, words: &[Word], program: usize) -> Vec<Vec<Word>> {
    let mut plain = vec![Word::literal(base)];
    plain.extend_from_slice(&words[program + 1..]);
    let mut spellings = vec![plain];
    if base == "git" {
        spellings.extend(git::without_global_options(&words[program + 1..]));
    }
    spellings
}

fn change_directory(args: &[Word], place: &Place, facts: &mut Facts) {
    let home = place.home().to_string_lossy().into_owned();
    let directory = match args {
        [] => Some(home.as_str()),
        [directory] => directory.known().filter(|text| !text.starts_with('-')),
        [dashes, directory] if dashes.known() == Some("--") => directory.known(),
        _ => None,
    };
    match directory {
        Some(directory) => {
            facts.is_harmless = true;
            facts.paths = vec![Word::literal(directory)];
            facts.changes_directory = Some(directory.to_owned());
        }
        None => facts.obscure = Some("the directory that it changes to is not known".to_owned()),
    }
}

/// The arguments that may be paths, after so many that are something else: operands, values of options,
/// and letters with a path behind them.
fn operands(args: &[Word], skipped: usize) -> Vec<Word> {
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

/// What an option has after `=`, or after its letter if that looks like a path.
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

/// Whether `word` is the long option `option`, with a value or shortened.
fn is_long(word: &str, option: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    name.len() > 2 && name.starts_with("--") && option.starts_with(name)
}

/// Whether `word` is a group of short options with one of `letters` in it.
fn has_short(word: &str, letters: &str) -> bool {
    word.strip_prefix('-').is_some_and(|group| {
        !group.starts_with('-') && group.contains(|letter| letters.contains(letter))
    })
}
