//! Knowledge about programs: which arguments only read, write, or run other programs.

mod facts;
mod files;
mod git;
mod language;
mod names;
mod options;
mod prefix;
mod reading;
mod search;
mod sed;
mod spelling;
mod wrapper;

use std::path::Path;

use crate::BaseDirs;
use crate::shell::Word;

pub(crate) use facts::{Facts, Inner};
use options::operands;
pub(crate) use prefix::safe_prefix;

/// Describes a simple command: the program is the word at `program`, after the assignments.
pub(crate) fn describe(words: &[Word], program: usize, dirs: &BaseDirs) -> Facts {
    let mut facts = Facts::default();
    facts.special.extend(0..program);
    let Some(name) = words[program].known() else {
        facts.obscure = Some("the program's name is only known at run time".to_owned());
        return facts;
    };
    let args = &words[program + 1..];
    let start = program + 1;
    let base = base_name(name).to_owned();
    facts.spellings = spelling::spellings(&base, words, program);
    if let Some(reason) = names::always_ask(&base) {
        facts.always_ask = Some(reason);
    }
    let trusted = trusted_name(name);
    match trusted.unwrap_or(&base) {
        name if names::OBSCURE.contains(&name) => {
            facts.obscure = Some(format!("what `{name}` does is only known at run time"));
        }
        "cd" => change_directory(args, dirs, &mut facts),
        "git" => git::describe(args, start, &mut facts),
        "find" => search::find(args, start, &mut facts),
        "sed" | "gsed" => sed::describe(args, start, &mut facts),
        "awk" | "gawk" | "mawk" | "nawk" => language::awk(args, start, &mut facts),
        "jq" => language::jq(args, start, &mut facts),
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
    // A name stands for the well-known program only in a system directory or through PATH.
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

fn base_name(name: &str) -> &str {
    Path::new(name)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or(name)
}

/// The name of a program that is found through PATH or in a system directory; `None` for other paths.
fn trusted_name(name: &str) -> Option<&str> {
    let name = ["/bin/", "/usr/bin/"]
        .iter()
        .find_map(|directory| name.strip_prefix(directory))
        .unwrap_or(name);
    (!name.contains('/')).then_some(name)
}

fn change_directory(args: &[Word], dirs: &BaseDirs, facts: &mut Facts) {
    let home = dirs.home().to_string_lossy().into_owned();
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
        None => facts.obscure = Some("the directory that it changes to is unknown".to_owned()),
    }
}
