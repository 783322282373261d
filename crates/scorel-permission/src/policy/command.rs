//! The verdict about a command: the strongest of those about its parts and the files it opens.

use std::path::{Path, PathBuf};

use scorel_shell::{
    FileAccess, Opened, STREAMS, ShellScript, SimpleCommand, Word, WordKind, normal, spelled,
};

use super::{Policy, relative};
use crate::protected::{Protection, is_protected};
use crate::rule::{Likeness, RuleScope};
use crate::{Decision, Mode, PolicyVerdict, Rule};

impl Policy {
    pub(super) fn run(&self, command: &str, directory: &Path) -> PolicyVerdict {
        let script = scorel_shell::read(command, directory, self.dirs.home());
        let mut verdict = PolicyVerdict::new(Decision::Allow, "every part of it is allowed");
        if command.trim().is_empty() {
            verdict = PolicyVerdict::ask("there is no command");
        }
        if self.mode != Mode::Full && !self.dirs.is_in_project(directory) {
            verdict = verdict.or_stronger(super::outside(directory));
        }
        if self.must_understand() {
            for doubt in &script.doubts {
                verdict = verdict.or_stronger(PolicyVerdict::ask(doubt.clone()));
            }
        }
        for index in 0..script.parts.len() {
            verdict = verdict.or_stronger(self.part(&script, index));
        }
        if let Some(suspected) = self.about_suspected(&script) {
            verdict = verdict.or_stronger(suspected);
        }
        for opened in &script.opened {
            verdict = verdict.or_stronger(self.opened(opened));
        }
        if let ([_], []) = (script.parts.as_slice(), script.opened.as_slice())
            && verdict.decision == Decision::Allow
        {
            return self.part(&script, 0);
        }
        verdict
    }

    /// Returns whether to ask about a command that is not fully understood. In the mode `workspace` the sandbox
    /// confines it in any case, and in `full` everything is allowed, so there the question is due only if a
    /// rule of the user might be missed.
    fn must_understand(&self) -> bool {
        let is_about_commands = |rule: &Rule| {
            matches!(
                rule.scope(),
                RuleScope::Run(_) | RuleScope::Read(_) | RuleScope::Write(_)
            )
        };
        let is_free = matches!(self.mode, Mode::Workspace | Mode::Full);
        !is_free || self.rules_to_guess_at().any(is_about_commands)
    }

    /// The rules that may apply to a command although its text does not show it.
    fn rules_to_guess_at(&self) -> impl Iterator<Item = &Rule> {
        let is_held = self.hides_denied && self.mode == Mode::Workspace;
        let is_open = move |rule: &&Rule| !(is_held && matches!(rule.scope(), RuleScope::Read(_)));
        let denying = self.rules.deny.iter().filter(is_open);
        denying.chain(&self.rules.ask)
    }

    pub(super) fn part(&self, script: &ShellScript, index: usize) -> PolicyVerdict {
        let verdict = self.part_from(&script.parts[index], self.base(script, index));
        let within = self.asked_within(script, index);
        within.into_iter().fold(verdict, PolicyVerdict::or_stronger)
    }

    /// The verdict about a part: `base`, which says what allows it, unless something stronger is said.
    pub(super) fn part_from(&self, part: &SimpleCommand, base: PolicyVerdict) -> PolicyVerdict {
        let always = part
            .facts
            .always_ask
            .map(|reason| PolicyVerdict::ask(format!("`{}`: {reason}", shown(part))));
        let is_harmless = part.facts.is_harmless || part.facts.spares_paths;
        let paths = part.facts.paths.iter().map(|path| (path, is_harmless));
        let reads = part.facts.reads.iter().map(|path| (path, true));
        let touched = paths
            .chain(reads)
            .filter_map(|(path, is_harmless)| self.touched(part, path, is_harmless));
        self.forbidding_for_words(part)
            .into_iter()
            .chain(always)
            .chain(self.asked_by_builtin(part))
            .chain(touched)
            .chain([base])
            .reduce(PolicyVerdict::or_stronger)
            .unwrap_or_else(|| self.by_mode(Decision::Ask))
    }

    /// The verdict of denying and asking rules about commands.
    pub(super) fn forbidding_for_words(&self, part: &SimpleCommand) -> Option<PolicyVerdict> {
        if self.rules.deny.is_empty() && self.rules.ask.is_empty() {
            return None;
        }
        let resolved = relative::every_spelling(part, &self.dirs);
        let likeness = |rule: &Rule| {
            let pattern = rule.command()?;
            std::iter::once(&part.words)
                .chain(&part.facts.spellings)
                .chain(&resolved)
                .map(|words| pattern.touches(words))
                .max()
        };
        if let Some(verdict) = self.forbidding(|rule| likeness(rule) == Some(Likeness::Yes)) {
            return Some(verdict);
        }
        let mut rules = self.rules.deny.iter().chain(&self.rules.ask);
        let may_be_missed = |rule: &Rule| {
            let pattern = rule.command().filter(|_| part.facts.has_more_spellings);
            let mut forms = part.facts.spellings.iter();
            pattern.is_some_and(|it| forms.any(|words| it.may_begin_with(words.first())))
        };
        let may_match =
            |rule: &&Rule| likeness(rule) == Some(Likeness::Perhaps) || may_be_missed(rule);
        Some(perhaps(rules.find(may_match)?, part))
    }

    /// The verdict about a part that no rule denies or asks about.
    fn base(&self, script: &ShellScript, index: usize) -> PolicyVerdict {
        let part = &script.parts[index];
        let mut verdict = None;
        if part.facts.is_transparent {
            return PolicyVerdict::new(Decision::Allow, "what it runs is judged by itself");
        }
        if part.facts.is_harmless {
            let reads = PolicyVerdict::new(Decision::Allow, "it only reads");
            let paths = part.facts.paths.iter();
            let harmless = paths
                .flat_map(|word| self.opening(word, FileAccess::Read, &part.directories))
                .fold(reads, PolicyVerdict::or_stronger);
            if harmless.decision == Decision::Allow {
                return harmless;
            }
            verdict = Some(harmless);
        }
        if let Some(rule) = self.allowing_rule(script, index) {
            return PolicyVerdict::by(Decision::Allow, rule);
        }
        if self.mode == Mode::Full {
            return self.by_mode(Decision::Allow);
        }
        if self.mode == Mode::Workspace && verdict.is_none() {
            return self.in_the_sandbox(part);
        }
        verdict.unwrap_or_else(|| PolicyVerdict::ask(format!("no rule allows `{}`", shown(part))))
    }

    /// The verdict on a part that runs in the sandbox: only files outside are asked about, as far as
    /// it is known that they would be changed.
    fn in_the_sandbox(&self, part: &SimpleCommand) -> PolicyVerdict {
        let sandboxed = PolicyVerdict::new(Decision::Allow, "it runs in the sandbox");
        if !part.facts.is_writing {
            return sandboxed;
        }
        let paths = part.facts.paths.iter().filter(|word| word.is_known());
        paths
            .flat_map(|word| places(word, &part.directories))
            .filter(|path| !is_stream(path) && !self.dirs.is_in_project(path))
            .map(|path| self.by_rule_or_place(&path))
            .fold(sandboxed, PolicyVerdict::or_stronger)
    }

    fn by_rule_or_place(&self, path: &Path) -> PolicyVerdict {
        let covers =
            |rule: &Rule| matches!(rule.scope(), RuleScope::Write(p) if p.covers(path, &self.dirs));
        self.allowed_by_rule(covers)
            .unwrap_or_else(|| self.by_place(path))
    }

    /// The rule that allows a part, or one of the parts that run it.
    pub(super) fn allowing_rule(&self, script: &ShellScript, index: usize) -> Option<&Rule> {
        let mut next = Some(index);
        while let Some(index) = next {
            let part = &script.parts[index];
            let rule = |directory: &PathBuf| {
                let allows = |it| relative::allows(it, part, directory, &self.dirs);
                let mut rules = self.rules.allow.iter();
                rules.find(|rule| rule.command().is_some_and(allows))
            };
            // One for each directory that the part may run in.
            let rules: Option<Vec<&Rule>> = relative::directories(part).iter().map(rule).collect();
            if let Some(rule) = rules.as_ref().and_then(|rules| rules.first()) {
                return Some(rule);
            }
            next = part.within;
        }
        None
    }

    /// The verdict of rules about files, and of protection, on an argument that may be a path.
    fn touched(
        &self,
        part: &SimpleCommand,
        word: &Word,
        is_harmless: bool,
    ) -> Option<PolicyVerdict> {
        let writes = part.facts.is_writing && !is_harmless;
        match word.kind {
            WordKind::Literal => places(word, &part.directories)
                .filter_map(|path| self.touched_path(&path, is_harmless))
                .reduce(PolicyVerdict::or_stronger),
            WordKind::Glob => places(&directory_of(word), &part.directories)
                .filter_map(|path| {
                    // A rule about every name in the directory is about all that the pattern matches.
                    let certain = self.rule_about(&path.join("*"), is_harmless);
                    let rule = self.forbidding_below(&path, is_harmless);
                    let protection = is_protected(&path, self.dirs.scorel_home());
                    let reason = protection.filter(|_| writes).map(Protection::reason);
                    certain
                        .into_iter()
                        .chain(rule.map(|rule| perhaps(rule, part)))
                        .chain(reason.map(PolicyVerdict::ask))
                        .reduce(PolicyVerdict::or_stronger)
                })
                .reduce(PolicyVerdict::or_stronger),
            WordKind::Unknown => {
                let rule = self.forbidding_below(Path::new("/"), is_harmless);
                let is_unclear = writes.then(|| {
                    PolicyVerdict::ask(format!(
                        "what `{}` changes is only known when it runs",
                        shown(part)
                    ))
                });
                let is_free = matches!(self.mode, Mode::Workspace | Mode::Full);
                rule.map(|rule| perhaps(rule, part))
                    .or(is_unclear.filter(|_| !is_free))
            }
        }
    }

    fn touched_path(&self, path: &Path, is_harmless: bool) -> Option<PolicyVerdict> {
        let by_protection = self.protecting(path).filter(|_| !is_harmless);
        self.rule_about(path, is_harmless)
            .into_iter()
            .chain(by_protection)
            .reduce(PolicyVerdict::or_stronger)
    }

    /// The verdict of denying and asking rules about a file.
    fn rule_about(&self, path: &Path, is_harmless: bool) -> Option<PolicyVerdict> {
        self.forbidding(|rule| match rule.scope() {
            RuleScope::Read(pattern) => pattern.covers(path, &self.dirs),
            RuleScope::Write(pattern) => !is_harmless && pattern.covers(path, &self.dirs),
            _ => false,
        })
    }

    /// A rule that denies or asks about a path in the directory or below.
    fn forbidding_below(&self, directory: &Path, is_harmless: bool) -> Option<&Rule> {
        let reaches = |rule: &&Rule| match rule.scope() {
            RuleScope::Read(p) => p.reaches_below(directory, &self.dirs),
            RuleScope::Write(p) => !is_harmless && p.reaches_below(directory, &self.dirs),
            _ => false,
        };
        self.rules_to_guess_at().find(reaches)
    }

    pub(super) fn opened(&self, opened: &Opened) -> PolicyVerdict {
        self.opening(&opened.word, opened.access, &opened.directories)
            .into_iter()
            .reduce(PolicyVerdict::or_stronger)
            .unwrap_or_else(|| PolicyVerdict::ask("the directory is not known"))
    }

    /// The verdicts on opening the file that a word names, in each of the directories `from`.
    fn opening(&self, word: &Word, access: FileAccess, from: &[PathBuf]) -> Vec<PolicyVerdict> {
        let judge = |path: &Path| match access {
            FileAccess::Read => self.read(path),
            FileAccess::Write => self.write(path),
        };
        match (word.kind, access) {
            (WordKind::Literal, _) => places(word, from)
                .filter(|path| !is_stream(path))
                .map(|path| judge(&path))
                .collect(),
            (WordKind::Glob, FileAccess::Read) => places(&directory_of(word), from)
                .map(|path| judge(&path.join("*")))
                .collect(),
            _ if self.must_guess(access) => vec![PolicyVerdict::ask(
                "which file it is, is only known when it runs",
            )],
            _ => vec![PolicyVerdict::new(Decision::Allow, "the mode allows it")],
        }
    }

    /// Returns whether to ask about a file that is only known when the command runs.
    fn must_guess(&self, access: FileAccess) -> bool {
        match self.mode {
            Mode::Full => {
                let only_reads = access == FileAccess::Read;
                self.forbidding_below(Path::new("/"), only_reads).is_some()
            }
            _ => self.must_understand(),
        }
    }
}

/// The absolute paths that a relative one may stand for, one for each possible working directory.
pub(super) fn places<'a>(
    word: &'a Word,
    directories: &'a [PathBuf],
) -> impl Iterator<Item = PathBuf> + 'a {
    directories
        .iter()
        .map(|directory| normal(&directory.join(&word.text)))
}

/// The absolute paths that a word may stand for; of a file name pattern, the directory in which it is
/// looked for. `None` if that is not known.
pub(super) fn places_of(word: &Word, directories: &[PathBuf]) -> Option<Vec<PathBuf>> {
    match word.kind {
        WordKind::Literal => Some(places(word, directories).collect()),
        WordKind::Glob => Some(places(&directory_of(word), directories).collect()),
        WordKind::Unknown => None,
    }
}

/// The directory before a pattern's first wildcard.
fn directory_of(word: &Word) -> Word {
    let end = word.text.find(['*', '?', '[']).unwrap_or(word.text.len());
    let end = word.text[..end].rfind('/').map_or(0, |slash| slash + 1);
    Word::literal(&word.text[..end])
}

pub(super) fn is_stream(path: &Path) -> bool {
    STREAMS.iter().any(|stream| path == Path::new(stream))
}

fn perhaps(rule: &Rule, part: &SimpleCommand) -> PolicyVerdict {
    PolicyVerdict {
        decision: Decision::Ask,
        reason: format!("the rule {rule} may be about `{}`", shown(part)),
        rule: Some(rule.clone()),
    }
}

/// The command shortened for a message.
pub(super) fn shown(part: &SimpleCommand) -> String {
    let mut text = String::new();
    for word in part.words.iter().take(60) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.extend(word.text.chars().take(61));
    }
    let cut: String = text.chars().take(60).collect();
    let mut shown = spelled(&cut);
    if cut.len() < text.len() {
        shown.push('…');
    }
    shown
}
