//! Command lines among the arguments of programs that may run them.
//!
//! No list of the programs that run others is ever whole. So the words of every program that is not known
//! to take them as data are searched for what a rule that denies or asks is about, which then counts as if
//! it ran.

use std::path::{Path, PathBuf};

use scorel_shell::{ShellScript, SimpleCommand, Word, base_name};

use super::Policy;
use crate::{Mode, PolicyVerdict};

/// The bound of what is compared with rules: the words of what is found, and `COST` for each command.
const MOST: usize = 20_000;
const COST: usize = 64;

/// Letters of a text that cost as much to parse as a word.
const LETTERS: usize = 8;

impl Policy {
    /// The verdict of the rules that deny and ask, and of the built-in ones, about commands that a script
    /// may run.
    pub(super) fn about_suspected(&self, script: &ShellScript) -> Option<PolicyVerdict> {
        let (suspected, is_whole) = self.search(script);
        let doubt = (!is_whole).then(|| PolicyVerdict::ask("it may run too many commands"));
        let by_rules = |part: &SimpleCommand| {
            let forbidden = self.forbidding_for_words(part).into_iter();
            forbidden.chain(self.asked_by_builtin(part))
        };
        let verdicts = suspected.iter().flat_map(by_rules).chain(doubt);
        verdicts.reduce(PolicyVerdict::or_stronger)
    }

    /// The commands that a script may run although it does not say so.
    pub(super) fn suspected(&self, script: &ShellScript) -> Vec<SimpleCommand> {
        self.search(script).0
    }

    /// Finds the commands that it may run, and whether these are all.
    fn search(&self, script: &ShellScript) -> (Vec<SimpleCommand>, bool) {
        let mut search = Search {
            names: self.programs_of_rules(),
            home: self.dirs.home(),
            open: Vec::new(),
            found: Vec::new(),
            left: Some(MOST),
        };
        if search.names.is_empty() {
            return (search.found, true);
        }
        for (text, directories) in &script.evaluated {
            search.text(text, directories);
        }
        for part in &script.parts {
            search.part(part);
        }
        while let Some(part) = search.open.pop() {
            search.part(&part);
            search.found.push(part);
        }
        (search.found, search.left.is_some())
    }

    /// The programs that rules which deny and ask name.
    fn programs_of_rules(&self) -> Vec<String> {
        let builtin = self
            .rules
            .builtin_ask
            .iter()
            .filter(|_| self.mode == Mode::Workspace);
        let rules = self.rules.deny.iter().chain(&self.rules.ask).chain(builtin);
        let mut names: Vec<String> = rules.filter_map(|rule| rule.command()?.program()).collect();
        names.sort();
        names.dedup();
        names
    }
}

struct Search<'a> {
    /// The programs that rules name.
    names: Vec<String>,
    home: &'a Path,
    /// Commands that were found and may run others.
    open: Vec<SimpleCommand>,
    found: Vec<SimpleCommand>,
    /// The part of `MOST` that is left; `None` if something was not searched.
    left: Option<usize>,
}

impl Search<'_> {
    fn part(&mut self, part: &SimpleCommand) {
        let facts = &part.facts;
        if let Some(input) = part.input.as_ref().filter(|_| !facts.takes_data) {
            self.text(&recipe(input), &part.directories);
        }
        for word in &part.words[..part.program] {
            self.text(&word.text, &part.directories);
        }
        // What a wrapper runs is a part of its own.
        if !facts.runs.is_empty() {
            return;
        }
        for (index, word) in part.words.iter().enumerate().skip(facts.searched_from) {
            let Some(text) = word.known() else { continue };
            let name = text.split('@').next().unwrap_or(text);
            let count = part.words.len() - index;
            if self.is_named(name) && self.affords(count) {
                let mut words = part.words[index..].to_vec();
                words[0] = Word::literal(name);
                let mut script = scorel_shell::read_words(&words, &part.directories, self.home);
                // The words of the first are searched here.
                self.found.extend(script.parts.drain(..1));
                self.open.append(&mut script.parts);
            }
            if text.contains([' ', '\t', '\n', '(', '`']) {
                self.text(text, &part.directories);
            } else if text
                .split_once(',')
                .is_some_and(|(first, _)| self.is_named(first))
            {
                // As compilers and linkers take the words of a command.
                self.text(&text.replace(',', " "), &part.directories);
            }
        }
    }

    /// Searches a text that a program may run, and what is quoted, in brackets or behind `=` or `!` in it.
    fn text(&mut self, text: &str, directories: &[PathBuf]) {
        let inner = text.split(|letter| "\"'`(){}=!".contains(letter));
        let inner = inner.filter(|piece| piece.len() < text.len());
        for piece in [text].into_iter().chain(inner) {
            let first = piece.split_ascii_whitespace().next().unwrap_or_default();
            let is_script = piece.contains([';', '&', '|', '\n']);
            let may_match = is_script || self.is_named(first) || piece.len() == text.len();
            if may_match && self.affords(piece.len() / LETTERS) {
                let script = scorel_shell::read_text(piece, directories, self.home);
                self.open.extend(script.parts);
            }
        }
    }

    fn is_named(&self, name: &str) -> bool {
        let mut names = self.names.iter();
        names.any(|program| program == name || program == base_name(name))
    }

    fn affords(&mut self, words: usize) -> bool {
        self.left = self.left.and_then(|left| left.checked_sub(words + COST));
        self.left.is_some()
    }
}

/// The lines of a recipe as a shell gets them from `make`.
fn recipe(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.trim_start_matches(['\t', ' ', '@', '-', '+']));
    lines.collect::<Vec<_>>().join("\n")
}
