//! Grants: rules that an answer adds.

use std::path::Path;

use url::Url;

use super::Policy;
use crate::rule::{CommandPattern, PathPattern, ToolNamePattern};
use crate::shell::{self, FileAccess, WordKind};
use crate::{Action, Decision, Rule};

impl Policy {
    /// The narrowest rules that, added to the allowing ones, allow exactly this action: what the answers
    /// `session` and `always` grant. A command gets one for each part that is not allowed yet.
    ///
    /// Empty if no rule can allow it: it is denied or always asked about, or not fully understood.
    #[must_use]
    pub fn rule_for(&self, action: &Action) -> Vec<Rule> {
        let texts = match action {
            Action::Read { path } => self.path_rule("Read", path).into_iter().collect(),
            Action::Write { path } => self.path_rule("Write", path).into_iter().collect(),
            Action::Run { command, directory } => {
                self.command_rules(command, &self.dirs.resolve(directory))
            }
            Action::RunUnsandboxed { command, directory } => {
                self.unsandboxed_rules(command, &self.dirs.resolve(directory))
            }
            Action::Fetch { url } | Action::FetchPrivate { url } => Url::parse(url)
                .ok()
                .and_then(|url| Some(format!("WebFetch(domain:{})", url.host_str()?)))
                .into_iter()
                .collect(),
            Action::CallTool { tool } => ToolNamePattern::exactly(tool)
                .map(|name| format!("Tool({name})"))
                .into_iter()
                .collect(),
        };
        let rules: Vec<Rule> = texts.iter().filter_map(|text| text.parse().ok()).collect();
        let granted = self.clone().allowing(rules.iter().cloned());
        if granted.judge(action).decision == Decision::Allow {
            rules
        } else {
            Vec::new()
        }
    }

    fn path_rule(&self, tool: &str, path: &Path) -> Option<String> {
        let pattern = PathPattern::exactly(&self.dirs.resolve(path), &self.dirs)?;
        Some(format!("{tool}({pattern})"))
    }

    fn command_rules(&self, command: &str, directory: &Path) -> Vec<String> {
        let script = shell::read(command, directory, &self.dirs);
        let mut rules = Vec::new();
        // The script that it runs comes from outside the command, so no rule can name it.
        if script.parts.iter().any(|part| part.facts.is_exact) {
            return rules;
        }
        for (index, part) in script.parts.iter().enumerate() {
            if self.part(&script, index).decision != Decision::Allow {
                rules.push(format!("Bash({})", CommandPattern::exactly(&part.words)));
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
        rules.dedup();
        rules
    }
}
