//! Grants: rules that an answer adds.

use std::collections::HashSet;
use std::path::Path;

use scorel_engine::Effect;
use scorel_shell::{FileAccess, ShellScript, SimpleCommand, Word, WordKind, safe_prefix};

use super::{Policy, relative};
use crate::rule::{CallPattern, CommandPattern, PathPattern, ToolNamePattern};
use crate::{Decision, Mode, Rule, RuleOffer, WebUrl};

/// The most rules that an answer adds. A person would not read more, and each is compared with every part.
const MOST_RULES: usize = 50;

impl Policy {
    /// The rules that, added to the allowing ones, allow this effect: what the answers `session` and
    /// `always` grant. A command gets one for each part that is not allowed yet: the prefix that a
    /// person would write, if there is a safe one, or else exactly this part.
    ///
    /// Empty if no rule can allow it: it is denied or always asked about, or not fully understood.
    pub fn offer(&self, effect: &Effect) -> RuleOffer {
        let mut is_for_session = false;
        let texts = match effect {
            Effect::ReadPath { path } => self.path_rule("Read", path).into_iter().collect(),
            Effect::WritePath { path, .. } => self.path_rule("Write", path).into_iter().collect(),
            Effect::RunCommand {
                command, directory, ..
            } => {
                let directory = self.dirs.resolve(directory);
                let script = scorel_shell::read(command, &directory, self.dirs.home());
                is_for_session = script.parts.iter().any(|part| part.facts.is_exact);
                self.command_rules(&script)
            }
            Effect::RunUnsandboxed {
                command, directory, ..
            } => self.unsandboxed_rules(command, &self.dirs.resolve(directory)),
            Effect::FetchUrl { url, .. } => WebUrl::parse(url)
                .map(|url| format!("WebFetch(domain:{})", url.host()))
                .into_iter()
                .collect(),
            Effect::CallOutside { tool, digest, .. } => {
                let pattern = CallPattern::exactly(tool, digest.as_deref());
                pattern
                    .map(|it| format!("Tool({it})"))
                    .into_iter()
                    .collect()
            }
            Effect::SpawnAgent { agent_type } => ToolNamePattern::exactly(agent_type)
                .map(|name| format!("AgentSpawn({name})"))
                .into_iter()
                .collect(),
            // Its name stands for calls that have nothing in common: a rule would allow them all.
            Effect::CallUntold { .. } | Effect::ReadMount { .. } | Effect::Unresolved { .. } => {
                Vec::new()
            }
        };
        if texts.len() > MOST_RULES {
            return RuleOffer::default();
        }
        let rules: Vec<Rule> = texts.iter().filter_map(|text| text.parse().ok()).collect();
        let granted = self.clone().allowing(rules.iter().cloned());
        if granted.judge(effect).decision == Decision::Allow {
            RuleOffer {
                rules,
                is_for_session,
            }
        } else {
            RuleOffer::default()
        }
    }

    fn path_rule(&self, tool: &str, path: &Path) -> Option<String> {
        let pattern = PathPattern::exactly(&self.dirs.resolve(path), &self.dirs)?;
        Some(format!("{tool}({pattern})"))
    }

    fn command_rules(&self, script: &ShellScript) -> Vec<String> {
        let mut rules = Vec::new();
        // The script that it runs comes from outside the command, so no rule can name it.
        let is_unseen = |part: &SimpleCommand| {
            part.facts.is_exact && !(part.facts.interprets_input && part.has_heredoc)
        };
        if script.parts.iter().any(is_unseen) {
            return rules;
        }
        for (index, part) in script.parts.iter().enumerate() {
            if self.part(script, index).decision != Decision::Allow {
                let forms = relative::in_rules(part, &self.dirs);
                rules.extend(forms.iter().map(|words| self.command_rule(part, words)));
            }
        }
        for part in self.suspected(script) {
            if self.asked_by_builtin(&part).is_some() {
                rules.push(self.command_rule(&part, &part.words));
            }
        }
        for opened in &script.opened {
            let tool = match opened.access {
                FileAccess::Read => "Read",
                FileAccess::Write => "Write",
            };
            if opened.word.kind == WordKind::Literal
                && self.opened(opened).decision != Decision::Allow
            {
                let paths = opened
                    .directories
                    .iter()
                    .map(|directory| directory.join(&opened.word.text));
                rules.extend(paths.filter_map(|path| self.path_rule(tool, &path)));
            }
        }
        let mut seen = HashSet::new();
        rules.retain(|rule| seen.insert(rule.clone()));
        rules
    }

    /// The rule for a part, `words` being its words as rules say them.
    fn command_rule(&self, part: &SimpleCommand, words: &[Word]) -> String {
        let prefix = self.prefix(part, words).map(CommandPattern::beginning);
        let pattern = prefix.unwrap_or_else(|| CommandPattern::exactly(words));
        format!("Bash({pattern})")
    }

    /// The words before the `*` of a safe rule. A command that a built-in rule asks about is granted
    /// only exactly as written. So are commands that only read and, in `workspace`, all commands: there
    /// the question is about files, not about the program.
    fn prefix<'a>(&self, part: &SimpleCommand, words: &'a [Word]) -> Option<&'a [Word]> {
        let is_about_files = part.facts.is_harmless || self.mode == Mode::Workspace;
        if part.program > 0 || is_about_files || self.is_named_by_builtin(part) {
            return None;
        }
        let prefix = words.get(..safe_prefix(words)?)?;
        let pattern = CommandPattern::parse(Some(&CommandPattern::beginning(prefix))).ok()?;
        pattern
            .allows(words, &part.facts.special, part.facts.is_exact)
            .then_some(prefix)
    }
}
