//! The policy: from an action to a verdict.

mod builtin;
mod command;
mod grant;
mod hidden;
mod private_fetch;
mod relative;
mod suspected;
mod unsandboxed;

use std::path::{Path, PathBuf};

use scorel_engine::Effect;
use serde_json::Value;

use crate::protected::is_protected;
use crate::rule::RuleScope;
use crate::{BaseDirs, Decision, Mode, PolicyVerdict, Rule, Rules, WebUrl};

pub use hidden::HiddenPart;

/// Judges actions by rules and a mode.
#[derive(Debug, Clone)]
pub struct Policy {
    mode: Mode,
    rules: Rules,
    dirs: BaseDirs,
    /// Paths that git ignores, so that commands may discard them.
    ignored: Vec<PathBuf>,
    /// Paths that are known to be files or directories.
    files: Vec<PathBuf>,
    /// True if what rules deny to read is hidden from commands in the sandbox.
    hides_denied: bool,
}

impl Policy {
    /// A policy of rules, and a mode where no rule matches.
    pub const fn new(mode: Mode, rules: Rules, dirs: BaseDirs) -> Self {
        Self {
            mode,
            rules,
            dirs,
            ignored: Vec::new(),
            files: Vec::new(),
            hides_denied: false,
        }
    }

    /// The same policy where git ignores these paths, which are absolute and normal: the built-in
    /// rules do not ask about commands that discard them.
    #[must_use]
    pub fn ignoring(mut self, paths: Vec<PathBuf>) -> Self {
        self.ignored = paths;
        self
    }

    /// The same policy where there are files or directories at these paths, which are absolute and
    /// normal: what `git checkout` overwrites if it is given their names.
    #[must_use]
    pub fn with_files(mut self, paths: Vec<PathBuf>) -> Self {
        self.files = paths;
        self
    }

    /// The same policy where the sandbox hides from commands what rules deny to read: in the mode
    /// `workspace` a command that might read such a file is not asked about.
    #[must_use]
    pub const fn hiding_denied(mut self) -> Self {
        self.hides_denied = true;
        self
    }

    /// The same policy with more allowing rules, such as grants.
    #[must_use]
    pub fn allowing(mut self, rules: impl IntoIterator<Item = Rule>) -> Self {
        self.rules.allow.extend(rules);
        self
    }

    /// The mode where no rule matches.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Judges an effect. A command's use of the network and the protection that a call names for a file
    /// are no part of it.
    pub fn judge(&self, effect: &Effect) -> PolicyVerdict {
        match effect {
            Effect::ReadPath { path } => self.read(&self.dirs.resolve(path)),
            Effect::ReadMount { .. } => {
                PolicyVerdict::new(Decision::Allow, "the session was given the directory")
            }
            Effect::WritePath { path, .. } => self.write(&self.dirs.resolve(path)),
            Effect::RunCommand {
                command, directory, ..
            } => self.run(command, &self.dirs.resolve(directory)),
            Effect::RunUnsandboxed {
                command, directory, ..
            } => self.run_unsandboxed(command, &self.dirs.resolve(directory)),
            Effect::FetchUrl { url, is_private } => web(url, |url| {
                if *is_private {
                    self.fetch_private(url)
                } else {
                    self.fetch(url)
                }
            }),
            Effect::CallOutside {
                tool,
                also,
                input,
                digest,
                reads_only,
            } => self.call_tool((tool, also), input, digest.as_deref(), *reads_only),
            Effect::CallUntold { tool } => self.call_tool((tool, &[]), &Value::Null, None, false),
            Effect::SpawnAgent { agent_type } => self.spawn_agent(agent_type),
            Effect::Unresolved { reason } => PolicyVerdict::new(Decision::Deny, reason.as_str()),
        }
    }

    /// Returns whether any rule denies or asks about reading.
    pub fn restricts_reading(&self) -> bool {
        let mut rules = self.rules.deny.iter().chain(&self.rules.ask);
        rules.any(|rule| matches!(rule.scope(), RuleScope::Read(_)))
    }

    /// The decision of denying and asking rules about reading `path`, which is absolute and normal; `None`
    /// if none matches. A fast path of [`Policy::judge`] for the many files of a search: it formats no
    /// reasons.
    pub fn reading_restricted(&self, path: &Path) -> Option<Decision> {
        let covers =
            |rule: &Rule| matches!(rule.scope(), RuleScope::Read(p) if p.covers(path, &self.dirs));
        if self.rules.deny.iter().any(covers) {
            Some(Decision::Deny)
        } else {
            self.rules.ask.iter().any(covers).then_some(Decision::Ask)
        }
    }

    fn read(&self, path: &Path) -> PolicyVerdict {
        let covers =
            |rule: &Rule| matches!(rule.scope(), RuleScope::Read(p) if p.covers(path, &self.dirs));
        self.by_rules(covers).unwrap_or_else(|| self.by_place(path))
    }

    fn write(&self, path: &Path) -> PolicyVerdict {
        let covers =
            |rule: &Rule| matches!(rule.scope(), RuleScope::Write(p) if p.covers(path, &self.dirs));
        let forbidding = self.forbidding(covers);
        if let Some(verdict) = &forbidding
            && verdict.decision == Decision::Deny
        {
            return verdict.clone();
        }
        if self.mode == Mode::Readonly {
            return self.by_mode(Decision::Deny);
        }
        if let Some(verdict) = self.protecting(path) {
            return verdict;
        }
        forbidding
            .or_else(|| self.allowed_by_rule(covers))
            .unwrap_or_else(|| self.by_place(path))
    }

    fn fetch(&self, url: &WebUrl) -> PolicyVerdict {
        let covers =
            |rule: &Rule| matches!(rule.scope(), RuleScope::Fetch(p) if p.covers(url.host()));
        self.by_rules_or_full(covers)
    }

    /// An outside tool runs beyond every sandbox, and nothing verifies what it says about itself. So only
    /// the mode `full` allows it, even if it declares itself read-only, unless the user believes that. Rules
    /// that forbid find it by its other names too.
    fn call_tool(
        &self,
        (tool, also): (&str, &[String]),
        input: &Value,
        digest: Option<&str>,
        reads_only: bool,
    ) -> PolicyVerdict {
        let covers_as = |rule: &Rule, name: &str| matches!(rule.scope(), RuleScope::CallTool(p) if p.covers(name, input, digest));
        let covers = |rule: &Rule| covers_as(rule, tool);
        let covers_any =
            |rule: &Rule| covers(rule) || also.iter().any(|name| covers_as(rule, name));
        if let Some(forbidden) = self.forbidding(covers_any) {
            return forbidden;
        }
        if reads_only {
            return PolicyVerdict::new(Decision::Allow, "you trust that it only reads");
        }
        self.by_rules_or_full(covers)
    }

    /// Allowed in every mode unless a rule says otherwise: what the agent does is judged in its own
    /// session, by the same rules.
    fn spawn_agent(&self, agent: &str) -> PolicyVerdict {
        let covers =
            |rule: &Rule| matches!(rule.scope(), RuleScope::SpawnAgent(p) if p.covers(agent));
        self.by_rules(covers).unwrap_or_else(|| {
            PolicyVerdict::new(Decision::Allow, "the agent is judged in its own session")
        })
    }

    /// The verdict of the first matching rule: deny before ask before allow.
    fn by_rules(&self, covers: impl Fn(&Rule) -> bool + Copy) -> Option<PolicyVerdict> {
        self.forbidding(covers)
            .or_else(|| self.allowed_by_rule(covers))
    }

    /// The same; what no rule matches only the mode `full` allows.
    fn by_rules_or_full(&self, covers: impl Fn(&Rule) -> bool + Copy) -> PolicyVerdict {
        self.by_rules(covers).unwrap_or_else(|| {
            self.by_mode(match self.mode {
                Mode::Full => Decision::Allow,
                Mode::Readonly | Mode::Ask | Mode::Workspace => Decision::Ask,
            })
        })
    }

    fn allowed_by_rule(&self, covers: impl Fn(&Rule) -> bool) -> Option<PolicyVerdict> {
        let rule = self.rules.allow.iter().find(|rule| covers(rule))?;
        Some(PolicyVerdict::by(Decision::Allow, rule))
    }

    /// The question about changing a file if it is protected.
    fn protecting(&self, path: &Path) -> Option<PolicyVerdict> {
        let reason = is_protected(path, self.dirs.scorel_home())?.reason();
        let path = path.display();
        Some(PolicyVerdict::ask(format!("`{path}`: {reason}")))
    }

    /// The verdict on a path that no rule matches.
    fn by_place(&self, path: &Path) -> PolicyVerdict {
        if self.mode == Mode::Full {
            return self.by_mode(Decision::Allow);
        }
        if self.dirs.is_in_project(path) {
            return PolicyVerdict::new(Decision::Allow, "it is in the project");
        }
        outside(path)
    }

    /// The verdict of the first denying rule, or else of the first asking one.
    fn forbidding(&self, covers: impl Fn(&Rule) -> bool) -> Option<PolicyVerdict> {
        [
            (&self.rules.deny, Decision::Deny),
            (&self.rules.ask, Decision::Ask),
        ]
        .into_iter()
        .find_map(|(rules, decision)| {
            let rule = rules.iter().find(|rule| covers(rule))?;
            Some(PolicyVerdict::by(decision, rule))
        })
    }

    fn by_mode(&self, decision: Decision) -> PolicyVerdict {
        let reason = match decision {
            Decision::Allow => format!("the mode {} allows it", self.mode),
            Decision::Ask => "no rule allows it".to_owned(),
            Decision::Deny => format!("the mode {} denies it", self.mode),
        };
        PolicyVerdict::new(decision, reason)
    }
}

/// The verdict about a URL of the web; others are not fetched.
fn web(text: &str, judge: impl Fn(&WebUrl) -> PolicyVerdict) -> PolicyVerdict {
    WebUrl::parse(text).map_or_else(
        |error| PolicyVerdict::new(Decision::Deny, error.to_string()),
        |url| judge(&url),
    )
}

fn outside(path: &Path) -> PolicyVerdict {
    PolicyVerdict::ask(format!("`{}` is outside of the project", path.display()))
}
