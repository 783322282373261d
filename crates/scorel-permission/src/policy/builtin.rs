//! The built-in asking rules.

use std::path::PathBuf;

use scorel_engine::Effect;
use scorel_shell::{ShellScript, SimpleCommand, Word};

use super::command::{places, places_of};
use super::{Policy, relative};
use crate::rule::{CommandPattern, Likeness};
use crate::{Decision, Mode, PolicyVerdict, Rule};

impl Policy {
    /// The paths that a command would discard and that a built-in rule asks about. Those among them
    /// that git ignores are for [`Policy::ignoring`].
    pub fn discarded(&self, effect: &Effect) -> Vec<PathBuf> {
        let parts = self.all_parts(effect);
        let asked = parts
            .iter()
            .filter(|part| self.asked_by_builtin(part).is_some());
        asked.flat_map(discards).flatten().collect()
    }

    /// The paths that `git checkout` overwrites if they are files, and takes for branches otherwise.
    /// Those that are files are for [`Policy::with_files`].
    pub fn restored(&self, effect: &Effect) -> Vec<PathBuf> {
        self.all_parts(effect).iter().flat_map(restores).collect()
    }

    /// The parts of a command in the sandbox, and those that it may run although it does not say so.
    fn all_parts(&self, effect: &Effect) -> Vec<SimpleCommand> {
        let Effect::RunCommand {
            command, directory, ..
        } = effect
        else {
            return Vec::new();
        };
        let script = scorel_shell::read(command, &self.dirs.resolve(directory), self.dirs.home());
        let suspected = self.suspected(&script);
        script.parts.into_iter().chain(suspected).collect()
    }

    /// The verdict of the built-in asking rules about a part. They recognise a command as it is
    /// written: a word that is only known when it runs may be anything, and the sandbox holds it.
    pub(super) fn asked_by_builtin(&self, part: &SimpleCommand) -> Option<PolicyVerdict> {
        let only_reads = part.facts.is_harmless && part.facts.runs.is_empty();
        if self.mode != Mode::Workspace || only_reads || self.discards_ignored(part) {
            return None;
        }
        let mut rules = self.rules.builtin_ask.iter();
        let overwrites = restores(part).iter().any(|path| self.files.contains(path));
        let restored = part
            .facts
            .restores
            .as_ref()
            .filter(|_| overwrites)
            .map(checkout_of);
        let rule = rules.find(|rule| {
            let is_about = covers(rule, part) || restored.iter().any(|it| touches(rule, it, &[]));
            is_about && !self.lifts(rule, part)
        })?;
        Some(PolicyVerdict::by(Decision::Ask, rule))
    }

    /// The same about a part that `find` or `xargs` runs with a shell, as in `find -exec sh -c 'rm "$1"'`.
    pub(super) fn asked_within(&self, script: &ShellScript, index: usize) -> Option<PolicyVerdict> {
        if self.mode != Mode::Workspace {
            return None;
        }
        let part = &script.parts[index];
        let within = |index: &usize| script.parts[*index].within;
        let started = std::iter::successors(part.within, within).find_map(|outer| {
            let outer = &script.parts[outer];
            let start = match outer
                .words
                .get(outer.program)?
                .known()
                .map(scorel_shell::base_name)?
            {
                "find" => &["find", "-exec"][..],
                "xargs" => &["xargs"],
                _ => return None,
            };
            let words = start.iter().map(|word| Word::literal(*word));
            Some(words.chain(part.words.iter().cloned()).collect::<Vec<_>>())
        })?;
        let mut rules = self.rules.builtin_ask.iter();
        let rule = rules.find(|rule| touches(rule, &started, &[]) && !self.lifts(rule, part))?;
        Some(PolicyVerdict::by(Decision::Ask, rule))
    }

    /// Returns whether a built-in rule is about the part, in whichever mode.
    pub(super) fn is_named_by_builtin(&self, part: &SimpleCommand) -> bool {
        self.rules.builtin_ask.iter().any(|rule| covers(rule, part))
    }

    fn discards_ignored(&self, part: &SimpleCommand) -> bool {
        discards(part).is_some_and(|paths| {
            let is_ignored = |path: &PathBuf| self.ignored.contains(path);
            !paths.is_empty() && paths.iter().all(is_ignored)
        })
    }

    /// Returns whether an allowing rule lifts the built-in one: it allows the part, and names nothing but
    /// what the built-in one asks about. `Bash(git *)` does not lift `Bash(git push *)`.
    fn lifts(&self, builtin: &Rule, part: &SimpleCommand) -> bool {
        let mut patterns = self.rules.allow.iter().filter_map(Rule::command);
        patterns.any(|pattern| {
            let allows =
                |directory: &PathBuf| relative::allows(pattern, part, directory, &self.dirs);
            relative::directories(part).iter().all(allows) && self.is_within(pattern, builtin)
        })
    }

    fn is_within(&self, pattern: &CommandPattern, builtin: &Rule) -> bool {
        let words = pattern.words();
        if words.is_empty() {
            return false;
        }
        let facts = scorel_shell::describe(&words, 0, self.dirs.home());
        let restored = facts.restores.as_ref().map(checkout_of);
        touches(builtin, &words, &facts.spellings)
            || restored.is_some_and(|words| touches(builtin, &words, &[]))
    }
}

/// The paths that a part discards; `None` if some are not known.
fn discards(part: &SimpleCommand) -> Option<Vec<PathBuf>> {
    let paths = part.facts.discards.iter();
    let places = paths.map(|word| places_of(word, &part.directories));
    places.collect::<Option<Vec<_>>>().map(|all| all.concat())
}

/// The files that `git checkout` may mean by its only name.
fn restores(part: &SimpleCommand) -> Vec<PathBuf> {
    let name = part.facts.restores.iter();
    name.flat_map(|name| places(name, &part.directories))
        .collect()
}

/// `git checkout NAME` where the name is a file's.
fn checkout_of(name: &Word) -> Vec<Word> {
    let words = ["git", "checkout", "--"].map(Word::literal);
    words.into_iter().chain([name.clone()]).collect()
}

fn covers(rule: &Rule, part: &SimpleCommand) -> bool {
    touches(rule, &part.words, &part.facts.spellings)
}

fn touches(rule: &Rule, words: &[Word], spellings: &[Vec<Word>]) -> bool {
    rule.command().is_some_and(|pattern| {
        let touches = |words: &[Word]| pattern.touches(words) == Likeness::Yes;
        touches(words) || spellings.iter().any(|words| touches(words))
    })
}
