//! The policy: from an action to a verdict.

mod builtin;
mod command;
mod grant;
mod hidden;
mod private_fetch;
mod relative;
mod unsandboxed;

use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

use url::{Host, Url};

use crate::protected::is_protected;
use crate::rule::RuleScope;
use crate::{Action, BaseDirs, Decision, Mode, PolicyVerdict, Rule, Rules};

pub use hidden::HiddenPart;

/// Judges actions by rules and a mode.
#[derive(Debug, Clone)]
pub struct Policy {
    mode: Mode,
    rules: Rules,
    dirs: BaseDirs,
    /// Paths that git ignores, so that commands may discard them.
    ignored: Vec<PathBuf>,
    /// Whether what rules deny to read is hidden from commands in the sandbox.
    hides_denied: bool,
}

impl Policy {
    /// A policy of rules, and a mode where no rule matches.
    #[must_use]
    pub const fn new(mode: Mode, rules: Rules, dirs: BaseDirs) -> Self {
        Self {
            mode,
            rules,
            dirs,
            ignored: Vec::new(),
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
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Judges an action.
    #[must_use]
    pub fn judge(&self, action: &Action) -> PolicyVerdict {
        match action {
            Action::Read { path } => self.read(&self.dirs.resolve(path)),
            Action::Write { path } => self.write(&self.dirs.resolve(path)),
            Action::Run { command, directory } => self.run(command, &self.dirs.resolve(directory)),
            Action::RunUnsandboxed { command, directory } => {
                self.run_unsandboxed(command, &self.dirs.resolve(directory))
            }
            Action::Fetch { url } => self.fetch(url),
            Action::FetchPrivate { url } => self.fetch_private(url),
            Action::CallTool { tool } => self.call_tool(tool),
            Action::SpawnAgent { agent_type } => self.spawn_agent(agent_type),
        }
    }

    /// Whether any rule denies or asks about reading.
    #[must_use]
    pub fn restricts_reading(&self) -> bool {
        let mut rules = self.rules.deny.iter().chain(&self.rules.ask);
        rules.any(|rule| matches!(rule.scope(), RuleScope::Read(_)))
    }

    /// The decision of denying and asking rules about reading `path`, which is absolute and normal; `None`
    /// if none matches. A fast path of [`Policy::judge`] for the many files of a search: it formats no
    /// reasons.
    #[must_use]
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
        if let Some(protection) = is_protected(path, self.dirs.scorel_home()) {
            let reason = protection.reason();
            return PolicyVerdict::ask(format!("`{}`: {reason}", path.display()));
        }
        forbidding
            .or_else(|| self.allowed_by_rule(covers))
            .unwrap_or_else(|| self.by_place(path))
    }

    fn fetch(&self, address: &str) -> PolicyVerdict {
        let url = Url::parse(address).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let covers = |rule: &Rule| matches!(rule.scope(), RuleScope::Fetch(p) if p.covers(host));
        if !url.as_ref().is_some_and(is_web) {
            return not_web();
        }
        if let Some(verdict) = self.by_rules(covers) {
            return verdict;
        }
        let parsed = url.as_ref().and_then(Url::host);
        if parsed.is_some_and(|host| is_private(&host)) {
            return PolicyVerdict::ask(format!("{host} is not a public address"));
        }
        self.by_mode(if self.mode == Mode::Full {
            Decision::Allow
        } else {
            Decision::Ask
        })
    }

    /// An outside tool runs beyond every sandbox, and nothing verifies what it says about itself. So only
    /// the mode `full` allows it, even if it declares itself read-only.
    fn call_tool(&self, tool: &str) -> PolicyVerdict {
        let covers = |rule: &Rule| matches!(rule.scope(), RuleScope::CallTool(p) if p.covers(tool));
        if let Some(verdict) = self.by_rules(covers) {
            return verdict;
        }
        self.by_mode(match self.mode {
            Mode::Full => Decision::Allow,
            Mode::Readonly | Mode::Ask | Mode::Workspace => Decision::Ask,
        })
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

    fn allowed_by_rule(&self, covers: impl Fn(&Rule) -> bool) -> Option<PolicyVerdict> {
        let rule = self.rules.allow.iter().find(|rule| covers(rule))?;
        Some(PolicyVerdict::by(Decision::Allow, rule))
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

/// Whether the URL is one of the web, with a host.
fn is_web(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    matches!(url.scheme(), "http" | "https") && !host.is_empty()
}

fn not_web() -> PolicyVerdict {
    PolicyVerdict::new(Decision::Deny, "only http and https addresses are fetched")
}

fn outside(path: &Path) -> PolicyVerdict {
    PolicyVerdict::ask(format!("`{}` is outside of the project", path.display()))
}

/// Whether the host is local or in a private network, judged by its name alone. The resolver of the
/// fetcher checks the addresses; this decides about the question.
fn is_private(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => is_private_v4(*address),
        Host::Ipv6(address) => address
            .to_ipv4_mapped()
            .map_or_else(|| is_private_v6(*address), is_private_v4),
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            ["localhost", "local", "internal"]
                .iter()
                .any(|suffix| name == *suffix || name.ends_with(&format!(".{suffix}")))
                || !name.contains('.')
        }
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_broadcast()
        || first == 0
        || first == 100 && (64..128).contains(&second)
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    address.is_loopback()
        || address.is_unspecified()
        || address.is_unique_local()
        || address.is_unicast_link_local()
}
