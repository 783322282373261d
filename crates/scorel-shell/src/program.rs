//! Knowledge about programs: which arguments only read, write, or run other programs.

mod facts;
mod files;
mod git;
mod language;
mod named;
mod names;
mod options;
mod prefix;
mod reading;
mod search;
mod sed;
mod spelling;
mod subcommand;
mod table;
mod usage;
mod version;
mod wrapper;

use std::path::Path;

use crate::word::Word;

pub use facts::{Facts, Inner};
pub use prefix::safe_prefix;

/// Describes a simple command: the program is the word at `program`, after the assignments. `home` is
/// the directory of a `cd` without arguments.
pub fn describe(words: &[Word], program: usize, home: &Path) -> Facts {
    let mut facts = Facts::default();
    facts.special.extend(0..program);
    let Some(name) = words[program].known() else {
        facts.obscure = Some("the program's name is only known at run time".to_owned());
        return facts;
    };
    let args = &words[program + 1..];
    let start = program + 1;
    let base = base_name(name).to_owned();
    let (spellings, is_whole) = spelling::spellings(&base, words, program);
    facts.spellings = spellings;
    facts.has_more_spellings = !is_whole;
    facts.always_ask = names::always_ask(&base);
    let trusted = trusted_name(name);
    match trusted.unwrap_or(&base) {
        name if names::is_obscure(name) => {
            facts.obscure = Some(format!("what `{name}` does is only known at run time"));
        }
        "cd" => change_directory(args, home, &mut facts),
        "git" => git::describe(args, start, &mut facts),
        "find" => search::find(args, start, &mut facts),
        name if wrapper::is_wrapper(name) => wrapper::describe(name, words, program, &mut facts),
        name if language::is_interpreter(name) => {
            language::interpreter(args, start, &mut facts);
            facts.special.push(program);
        }
        name if files::is_writing(name) => files::describe(name, args, start, &mut facts),
        name if reading::describe(name, args, start, &mut facts) => {}
        name => {
            names::other(name, args, start, &mut facts);
        }
    }
    facts.takes_data = trusted.is_some_and(|name| takes_data(name, words, program));
    // The options of `python -m pytest` say which program it is.
    let named = if language::is_interpreter(&base) {
        2
    } else {
        0
    };
    let special = facts.special.iter().copied();
    let special = special.filter(|index| *index > program + named).min();
    facts.searched_from = match facts.takes_data {
        true => special.unwrap_or(words.len()),
        false => program + 1,
    };
    if !facts.takes_data {
        for word in args {
            named::add_reads(word, &mut facts);
        }
    }
    // A name stands for the well-known program only in a system directory or through PATH.
    if trusted.is_none() || program > 0 {
        facts.is_harmless = false;
        facts.is_transparent = false;
    }
    if !facts.is_harmless && facts.always_ask.is_none() {
        facts.always_ask = words.iter().find_map(|word| names::mentions(&word.text));
    }
    facts
}

/// Returns whether a program is known to take its arguments as data, and not as a command to run.
fn takes_data(name: &str, words: &[Word], program: usize) -> bool {
    let runs = ["run", "run-script", "start"];
    let is_run = |word: &Word| runs.contains(&word.text.as_str());
    match name {
        "cd" | "git" | "find" | "set" => true,
        "ed" | "ex" | "ssh" | "sftp" => false,
        "python" | "python3" if safe_prefix(words).is_some() => program == 0,
        name if wrapper::is_wrapper(name) || language::is_interpreter(name) => false,
        "cargo" | "go" | "npm" | "pnpm" | "yarn" => {
            safe_prefix(words).is_some() && !words.iter().take(3).any(is_run)
        }
        name if table::usage(name).is_some() || files::is_writing(name) => true,
        _ => program == 0 && safe_prefix(words).is_some() && !words.iter().take(3).any(is_run),
    }
}

/// The last component of the name by which a program is called.
pub fn base_name(name: &str) -> &str {
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

fn change_directory(args: &[Word], home: &Path, facts: &mut Facts) {
    let home = home.to_string_lossy();
    let directory = match args {
        [] => Some(&*home),
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
