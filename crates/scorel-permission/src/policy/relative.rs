//! Programs that are named by a path.
//!
//! `./run.sh` is another program in another directory, so a rule about it is compared with the file
//! that the name leads to: a rule is relative to the project, a command to its working directory.

use std::path::{Path, PathBuf};

use scorel_shell::{SimpleCommand, Word, normal};

use crate::BaseDirs;
use crate::rule::CommandPattern;

/// The possible directories of a part in which its program can be another one.
pub(super) fn directories(part: &SimpleCommand) -> &[PathBuf] {
    let count = match program_path(part) {
        Some(_) => part.directories.len(),
        None => 1,
    };
    part.directories.get(..count).unwrap_or_default()
}

/// Returns whether an allowing rule with this pattern matches the part if it runs in this directory.
pub(super) fn allows(
    pattern: &CommandPattern,
    part: &SimpleCommand,
    directory: &Path,
    dirs: &BaseDirs,
) -> bool {
    let covers = |words: &[Word]| pattern.allows(words, &part.facts.special, part.facts.is_exact);
    if program_path(part).is_none() {
        return covers(&part.words);
    }
    spellings(part, directory, dirs)
        .iter()
        .any(|words| covers(words))
}

/// All ways to name the program's file, for rules that deny or ask.
pub(super) fn every_spelling(part: &SimpleCommand, dirs: &BaseDirs) -> Vec<Vec<Word>> {
    let directories = part.directories.iter();
    directories
        .flat_map(|directory| spellings(part, directory, dirs))
        .collect()
}

/// The part's words as a rule for exactly this file says them, once for each of its possible
/// directories.
pub(super) fn in_rules(part: &SimpleCommand, dirs: &BaseDirs) -> Vec<Vec<Word>> {
    if program_path(part).is_none() {
        return vec![part.words.clone()];
    }
    let directories = part.directories.iter();
    directories
        .filter_map(|directory| spellings(part, directory, dirs).into_iter().next())
        .collect()
}

/// The program, if it is a path.
fn program_path(part: &SimpleCommand) -> Option<&str> {
    let name = part.words.get(part.program)?.known()?;
    name.contains('/').then_some(name)
}

/// Relative to the project first, if it is in there.
fn spellings(part: &SimpleCommand, directory: &Path, dirs: &BaseDirs) -> Vec<Vec<Word>> {
    let Some(name) = program_path(part) else {
        return Vec::new();
    };
    let path = normal(&directory.join(name));
    let mut names = Vec::new();
    if let Some(inside) = path
        .strip_prefix(dirs.project())
        .ok()
        .and_then(Path::to_str)
    {
        names.push(format!("./{inside}"));
        // Without a slash it would be searched in PATH.
        names.extend(inside.contains('/').then(|| inside.to_owned()));
    }
    if let Some(inside) = path.strip_prefix(dirs.home()).ok().and_then(Path::to_str) {
        names.push(format!("~/{inside}"));
    }
    names.extend(path.to_str().map(str::to_owned));
    let with = |name: String| {
        let mut words = part.words.clone();
        words[part.program] = Word::literal(name);
        words
    };
    names.into_iter().map(with).collect()
}
