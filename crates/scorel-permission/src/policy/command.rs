//! The verdict about a command: the strongest of those about its parts and the files it opens.

use std::path::{Path, PathBuf};

use super::Policy;
use crate::place::normal;
use crate::protected::{Protection, is_protected};
use crate::rule::{Likeness, Scope};
use crate::shell::{self, Access, Opened, Part, Script, Word, WordKind};
use crate::{Decision, Mode, Rule, Verdict};

impl Policy {
    pub(super) fn run(&self, command: &str, directory: &Path) -> Verdict {
        let script = shell::read(command, directory, &self.place);
        let mut verdict = Verdict::new(Decision::Allow, "every part of it is allowed");
        if command.trim().is_empty() {
            verdict = Verdict::new(Decision::Ask, "there is no command");
        }
        if self.mode != Mode::Full && !self.place.is_in_project(directory) {
            verdict = verdict.or_stronger(super::outside(directory));
        }
        for doubt in &script.doubts {
            verdict = verdict.or_stronger(Verdict::new(Decision::Ask, doubt.clone()));
        }
        for index in 0..script.parts.len() {
            verdict = verdict.or_stronger(self.part(&script, index));
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

    pub(super) fn part(&self, script: &Script, index: usize) -> Verdict {
        let part = &script.parts[index];
        let always = part
            .facts
            .always_ask
            .map(|reason| Verdict::new(Decision::Ask, format!("`{}`: {reason}", shown(part))));
        let touched = part
            .facts
            .paths
            .iter()
            .filter_map(|path| self.touched(part, path));
        self.forbidding_for_words(part)
            .into_iter()
            .chain(always)
            .chain(touched)
            .chain([self.base(script, index)])
            .reduce(Verdict::or_stronger)
            .unwrap_or_else(|| self.by_mode(Decision::Ask))
    }

    /// The verdict of denying and asking rules about commands.
    fn forbidding_for_words(&self, part: &Part) -> Option<Verdict> {
        let likeness = |rule: &Rule| match rule.scope() {
            Scope::Run(pattern) => std::iter::once(&part.words)
                .chain(&part.facts.spellings)
                .map(|words| pattern.touches(words))
                .max()
                .unwrap_or(Likeness::No),
            _ => Likeness::No,
        };
        if let Some(verdict) = self.forbidding(|rule| likeness(rule) == Likeness::Yes) {
            return Some(verdict);
        }
        let mut rules = self.rules.deny.iter().chain(&self.rules.ask);
        let rule = rules.find(|rule| likeness(rule) == Likeness::Perhaps)?;
        Some(perhaps(rule, part))
    }

    /// The verdict about a part that no rule denies or asks about.
    fn base(&self, script: &Script, index: usize) -> Verdict {
        let part = &script.parts[index];
        let mut verdict = None;
        if part.facts.is_transparent {
            return Verdict::new(Decision::Allow, "what it runs is judged by itself");
        }
        if part.facts.is_harmless {
            let harmless = part
                .facts
                .paths
                .iter()
                .flat_map(|word| self.opening(word, Access::Read, &part.directories))
                .fold(
                    Verdict::new(Decision::Allow, "it only reads"),
                    Verdict::or_stronger,
                );
            if harmless.decision == Decision::Allow {
                return harmless;
            }
            verdict = Some(harmless);
        }
        if let Some(rule) = self.allowing_rule(script, index) {
            return Verdict::by(Decision::Allow, rule);
        }
        if self.mode == Mode::Full {
            return self.by_mode(Decision::Allow);
        }
        verdict.unwrap_or_else(|| {
            Verdict::new(Decision::Ask, format!("no rule allows `{}`", shown(part)))
        })
    }

    /// The rule that allows a part, or one of the parts that run it.
    fn allowing_rule(&self, script: &Script, index: usize) -> Option<&Rule> {
        let mut next = Some(index);
        while let Some(index) = next {
            let part = &script.parts[index];
            let allows = |rule: &&Rule| match rule.scope() {
                Scope::Run(pattern) => {
                    pattern.allows(&part.words, &part.facts.special, part.facts.is_exact)
                }
                _ => false,
            };
            if let Some(rule) = self.rules.allow.iter().find(allows) {
                return Some(rule);
            }
            next = part.within;
        }
        None
    }

    /// The verdict of rules about files, and of protection, on an argument that may be a path.
    fn touched(&self, part: &Part, word: &Word) -> Option<Verdict> {
        let is_harmless = part.facts.is_harmless;
        let writes = part.facts.is_writing && !is_harmless;
        match word.kind {
            WordKind::Literal => places(word, &part.directories)
                .map(|path| self.touched_path(&path, is_harmless))
                .fold(None, |all, one| match (all, one) {
                    (Some(all), Some(one)) => Some(Verdict::or_stronger(all, one)),
                    (all, one) => all.or(one),
                }),
            WordKind::Glob => places(&directory_of(word), &part.directories).find_map(|path| {
                let rule = self.forbidding_below(&path, is_harmless);
                let protection = is_protected(&path, self.place.scorel_home());
                let reason = protection.filter(|_| writes).map(Protection::reason);
                rule.map(|rule| perhaps(rule, part))
                    .or_else(|| reason.map(|reason| Verdict::new(Decision::Ask, reason)))
            }),
            WordKind::Unknown => {
                let rule = self.forbidding_below(Path::new("/"), is_harmless);
                let is_unclear = writes.then(|| {
                    Verdict::new(
                        Decision::Ask,
                        format!("what `{}` changes is only known when it runs", shown(part)),
                    )
                });
                rule.map(|rule| perhaps(rule, part))
                    .or(is_unclear.filter(|_| self.mode != Mode::Full))
            }
        }
    }

    fn touched_path(&self, path: &Path, is_harmless: bool) -> Option<Verdict> {
        let by_rule = self.forbidding(|rule| match rule.scope() {
            Scope::Read(pattern) => pattern.covers(path, &self.place),
            Scope::Write(pattern) => !is_harmless && pattern.covers(path, &self.place),
            _ => false,
        });
        let by_protection = is_protected(path, self.place.scorel_home())
            .filter(|_| !is_harmless)
            .map(|protection| {
                let reason = format!("`{}`: {}", path.display(), protection.reason());
                Verdict::new(Decision::Ask, reason)
            });
        match (by_rule, by_protection) {
            (Some(rule), Some(protection)) => Some(rule.or_stronger(protection)),
            (rule, protection) => rule.or(protection),
        }
    }

    /// A rule that denies or asks about a path in the directory or below.
    fn forbidding_below(&self, directory: &Path, is_harmless: bool) -> Option<&Rule> {
        let reaches = |rule: &&Rule| match rule.scope() {
            Scope::Read(pattern) => pattern.reaches_below(directory, &self.place),
            Scope::Write(pattern) => !is_harmless && pattern.reaches_below(directory, &self.place),
            _ => false,
        };
        self.rules.deny.iter().chain(&self.rules.ask).find(reaches)
    }

    pub(super) fn opened(&self, opened: &Opened) -> Verdict {
        self.opening(&opened.word, opened.access, &opened.directories)
            .into_iter()
            .reduce(Verdict::or_stronger)
            .unwrap_or_else(|| Verdict::new(Decision::Ask, "the directory is not known"))
    }

    /// The verdicts on opening the file that a word names.
    fn opening(&self, word: &Word, access: Access, directories: &[PathBuf]) -> Vec<Verdict> {
        let judge = |path: &Path| match access {
            Access::Read => self.read(path),
            Access::Write => self.write(path),
        };
        match (word.kind, access) {
            (WordKind::Literal, _) => places(word, directories)
                .filter(|path| !is_stream(path))
                .map(|path| judge(&path))
                .collect(),
            (WordKind::Glob, Access::Read) => places(&directory_of(word), directories)
                .map(|path| judge(&path.join("*")))
                .collect(),
            _ => vec![Verdict::new(
                Decision::Ask,
                "which file it is, is only known when it runs",
            )],
        }
    }
}

/// The absolute paths that a relative one may stand for, one for each possible working directory.
fn places<'a>(word: &'a Word, directories: &'a [PathBuf]) -> impl Iterator<Item = PathBuf> + 'a {
    directories
        .iter()
        .map(|directory| normal(&directory.join(&word.text)))
}

/// The directory before a pattern's first wildcard.
fn directory_of(word: &Word) -> Word {
    let end = word.text.find(['*', '?', '[']).unwrap_or(word.text.len());
    let end = word.text[..end].rfind('/').map_or(0, |slash| slash + 1);
    Word::literal(&word.text[..end])
}

fn is_stream(path: &Path) -> bool {
    ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"]
        .iter()
        .any(|stream| path == Path::new(stream))
}

fn perhaps(rule: &Rule, part: &Part) -> Verdict {
    Verdict {
        decision: Decision::Ask,
        reason: format!("the rule {rule} may be about `{}`", shown(part)),
        rule: Some(rule.clone()),
    }
}

/// The command shortened for a message.
fn shown(part: &Part) -> String {
    let mut text = String::new();
    for word in part.words.iter().take(60) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.extend(word.text.chars().take(61));
    }
    let mut shown: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    if text.chars().nth(60).is_some() {
        shown.push('…');
    }
    shown
}
