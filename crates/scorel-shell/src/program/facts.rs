//! Facts about one simple command.

use crate::word::{Word, WordKind};

/// Facts about one simple command.
#[derive(Debug, Default)]
pub struct Facts {
    /// Indices of words that `*` in an allowing rule does not match.
    pub special: Vec<usize>,
    /// Only an allowing rule without wildcards matches.
    pub is_exact: bool,
    /// Only reads, and only `paths`.
    pub is_harmless: bool,
    /// Does nothing but run `runs`.
    pub is_transparent: bool,
    /// The reason why it is asked about whatever rules say.
    pub always_ask: Option<&'static str>,
    /// The reason why its effects cannot be known.
    pub obscure: Option<String>,
    /// The commands that it runs in turn.
    pub runs: Vec<Inner>,
    /// Arguments that may be paths.
    pub paths: Vec<Word>,
    /// Files that words may name in a part, as in `@file`: it may read them.
    pub reads: Vec<Word>,
    /// Indices of words that are addresses or repositories, which may be paths.
    pub addresses: Vec<usize>,
    /// The name that `git checkout` takes for a branch, unless a file has it.
    pub restores: Option<Word>,
    /// Takes its arguments as data, up to the first special one.
    pub takes_data: bool,
    /// The index of the first word that may begin a command which the program runs.
    pub searched_from: usize,
    /// Changes or removes `paths`.
    pub is_writing: bool,
    /// Leaves `paths` as they are, although it is not harmless.
    pub spares_paths: bool,
    /// Files that it removes or overwrites for good, if its words name them.
    pub discards: Vec<Word>,
    /// The new working directory of the shell, for `cd`.
    pub changes_directory: Option<String>,
    /// The directory in which `runs` run, if it is another one.
    pub runs_in: Option<String>,
    /// Interprets its standard input as a program in a language other than a shell's.
    pub interprets_input: bool,
    /// Equivalent spellings that denying and asking rules match too.
    pub spellings: Vec<Vec<Word>>,
    /// Set if there are more spellings than can be compared.
    pub has_more_spellings: bool,
}

/// A command that a program runs.
#[derive(Debug, Clone)]
pub enum Inner {
    /// Words, the program being at index `program`, after assignments.
    Words { words: Vec<Word>, program: usize },
    /// A script for a shell.
    Script(String),
}

impl Facts {
    /// Returns whether the program, whose arguments begin at `start`, or one of these is special.
    pub(super) fn has_special_from(&self, start: usize) -> bool {
        self.special.iter().any(|index| index + 1 >= start)
    }

    pub(super) fn special_after(
        &mut self,
        start: usize,
        args: &[Word],
        is_special: impl Fn(&str) -> bool,
    ) {
        for (index, word) in args.iter().enumerate() {
            let is_known_special = is_special(&word.text) && word.kind != WordKind::Unknown;
            if is_known_special || !word.is_known() && word.may_be_option() {
                self.special.push(start + index);
            }
        }
    }
}
