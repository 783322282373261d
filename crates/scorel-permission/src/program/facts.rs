//! What is known about one call of a program.

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
    /// Why it is asked about whatever the rules say.
    pub(crate) always_ask: Option<&'static str>,
    /// Why what it does cannot be known.
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
