//! The verdict about a command that would run outside the sandbox.
//!
//! Stricter than that about a command in the sandbox, which stops what no argument says. Outside, a
//! program that only reads may read a key through a link, and a repository's configuration may make
//! `git status` run something. So nothing passes for being harmless, except what reads no file.

use std::path::Path;

use scorel_shell::{ShellScript, SimpleCommand, Word, WordKind};

use super::Policy;
use super::command::{is_stream, places, shown};
use crate::rule::CommandPattern;
use crate::{Decision, Mode, PolicyVerdict, Rule, Rules};

/// Programs that a rule about the command before or after them covers, where they open no file. Asking about
/// `docker ps | grep x` twice would only teach the user to answer without reading. Not `sed` and `awk`, whose
/// programs can run a command, nor `less` and `more`, from which a user can.
const FILTERS: [&str; 20] = [
    ":", "[", "base64", "cat", "cut", "echo", "egrep", "exit", "false", "fgrep", "grep", "head",
    "jq", "printf", "sort", "tail", "test", "tr", "true", "wc",
];

impl Policy {
    /// Rules `Bash(…)` deny and ask, but never allow. Of the modes only `full` allows.
    pub(super) fn run_unsandboxed(&self, command: &str, directory: &Path) -> PolicyVerdict {
        if self.mode == Mode::Readonly {
            return self.by_mode(Decision::Deny);
        }
        if self.mode == Mode::Full {
            return self.for_unsandboxed(Mode::Full).run(command, directory);
        }
        let script = self.read_spelled(command, directory);
        let opened = script.opened.iter().map(|opened| self.opened(opened));
        opened.fold(
            self.for_unsandboxed(Mode::Readonly)
                .every_part(&script, directory),
            PolicyVerdict::or_stronger,
        )
    }

    /// The rules that would allow an unsandboxed command from now on.
    pub(super) fn unsandboxed_rules(&self, command: &str, directory: &Path) -> Vec<String> {
        let policy = self.for_unsandboxed(Mode::Readonly);
        let script = self.read_spelled(command, directory);
        // Their input comes from outside the command, so no rule can name it.
        if script.parts.iter().any(|part| part.facts.is_exact) || opens_files(&script) {
            return Vec::new();
        }
        let is_asked =
            |index: &usize| policy.unsandboxed_part(&script, *index).decision != Decision::Allow;
        let mut rules: Vec<String> = (0..script.parts.len())
            .filter(is_asked)
            .map(|index| CommandPattern::exactly(&script.parts[index].words))
            .map(|pattern| format!("Outside({pattern})"))
            .collect();
        rules.dedup();
        rules
    }

    /// Parses a command, of which `*` in a rule matches only plain words: a rule must spell out all others.
    fn read_spelled(&self, command: &str, directory: &Path) -> ShellScript {
        let mut script = scorel_shell::read(command, directory, self.dirs.home());
        for part in &mut script.parts {
            let words = part.words.iter().enumerate();
            let others = words
                .filter(|(_, word)| !is_plain(word))
                .map(|(index, _)| index);
            part.facts.special.extend(others);
            part.facts.special.extend_from_slice(&part.facts.addresses);
        }
        script
    }

    /// The same policy, where rules about unsandboxed commands are those about commands. `Readonly` is the
    /// mode in which nothing is trusted to a sandbox.
    fn for_unsandboxed(&self, mode: Mode) -> Self {
        let about = |rules: &[Rule]| rules.iter().filter_map(Rule::as_command_rule).collect();
        let and_about = |rules: &[Rule]| {
            let mut all = rules.to_vec();
            all.extend::<Vec<_>>(about(rules));
            all
        };
        let rules = Rules {
            deny: and_about(&self.rules.deny),
            ask: and_about(&self.rules.ask),
            allow: about(&self.rules.allow),
            builtin_ask: self.rules.builtin_ask.clone(),
        };
        Self::new(mode, rules, self.dirs.clone())
    }

    fn every_part(&self, script: &ShellScript, directory: &Path) -> PolicyVerdict {
        let mut verdict = PolicyVerdict::new(Decision::Allow, "rules allow every part of it");
        if !self.dirs.is_in_project(directory) {
            verdict = verdict.or_stronger(super::outside(directory));
        }
        for index in 0..script.parts.len() {
            verdict = verdict.or_stronger(self.unsandboxed_part(script, index));
        }
        for doubt in &script.doubts {
            verdict = verdict.or_stronger(PolicyVerdict::ask(doubt.clone()));
        }
        if let Some(suspected) = self.about_suspected(script) {
            verdict = verdict.or_stronger(suspected);
        }
        if opens_files(script) {
            let reason = "outside the sandbox a redirection may lead anywhere";
            verdict = verdict.or_stronger(PolicyVerdict::ask(reason));
        }
        let is_named = |index| self.allowing_rule(script, index).is_some();
        if !(0..script.parts.len()).any(is_named) {
            let reason = "no rule allows any part of it outside the sandbox";
            verdict = verdict.or_stronger(PolicyVerdict::ask(reason));
        }
        verdict
    }

    fn unsandboxed_part(&self, script: &ShellScript, index: usize) -> PolicyVerdict {
        let part = &script.parts[index];
        let base = if let Some(rule) = self.allowing_rule(script, index) {
            PolicyVerdict::by(Decision::Allow, rule)
        } else if part.facts.is_transparent {
            PolicyVerdict::new(Decision::Allow, "what it runs is judged by itself")
        } else if is_filter(part) {
            PolicyVerdict::new(Decision::Allow, "it opens no file")
        } else {
            PolicyVerdict::ask(format!(
                "no rule allows `{}` outside the sandbox",
                shown(part)
            ))
        };
        self.part_from(part, base)
    }
}

/// Returns whether a word is plain: not an option, an assignment, a path, an address or the name of a file. A dot
/// stands only in numbers, as in a version.
fn is_plain(word: &Word) -> bool {
    let text = word.text.as_str();
    let is_digit = |index: usize| text.as_bytes().get(index).is_some_and(u8::is_ascii_digit);
    let is_in_number = |index: usize| index > 0 && is_digit(index - 1) && is_digit(index + 1);
    let mut letters = text.char_indices();
    word.is_known()
        && text.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
        && letters.all(|(index, letter)| match letter {
            '.' => is_in_number(index),
            letter => letter.is_alphanumeric() || "_-,".contains(letter),
        })
}

/// Returns whether a part only passes on what it reads from its standard input.
fn is_filter(part: &SimpleCommand) -> bool {
    let program = part.words.first().and_then(|word| word.known());
    part.facts.is_harmless
        && part.facts.paths.is_empty()
        && program.is_some_and(|name| FILTERS.contains(&name))
        && !part.words.iter().any(|word| searches_files(&word.text))
}

/// Returns whether an option makes `grep` read files that no operand names. Other filters have no such letters
/// that matter, and a word that is not an option does not begin with a dash.
fn searches_files(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => ["recursive", "dereference-recursive", "directories", "file"]
            .iter()
            .any(|option| {
                !long.is_empty() && option.starts_with(long.split('=').next().unwrap_or(long))
            }),
        None => word.starts_with('-') && word.contains(['r', 'R', 'd', 'f']),
    }
}

/// Returns whether a redirection opens a file. Where it leads is not known here, and no sandbox holds it.
fn opens_files(script: &ShellScript) -> bool {
    script.opened.iter().any(|opened| {
        let is_plain = opened.word.kind == WordKind::Literal;
        !is_plain || !places(&opened.word, &opened.directories).all(|path| is_stream(&path))
    })
}
