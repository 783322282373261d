use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_config::{GateRule, RuleSet};
use scorel_engine::{
    CommandAccess, Effect, Gatekeeper, Permit, Question, ReadFilter, Verdict, run_in_place,
    spawn_blocking,
};
use scorel_permission::{BaseDirs, Decision, Mode, Policy};
use scorel_tools::Lazy;
use scorel_workplace::HiddenPlaces;

use crate::channel::GateChannel;
use crate::findings::Findings;
use crate::hidden_by_rules::HiddenByRules;
use crate::hidden_reads::without_hidden;
use crate::ignored::{existing, ignored};
use crate::read_filter::Unrestricted;

/// The reason shown with the request for a command that would run unsandboxed.
const UNSANDBOXED: &str = "this kernel cannot keep commands in a sandbox: it would run unsandboxed";

/// The policy of a [`Gate`], fixed for one turn.
#[derive(Debug, Clone)]
pub struct GateSettings {
    pub mode: Mode,
    /// The configured rules, with grants among the `allow` rules.
    pub rules: RuleSet,
    pub base_dirs: BaseDirs,
    /// How long a permission request waits; without limit if `None`.
    pub timeout: Option<Duration>,
    /// True if a request that times out counts as allowed.
    pub allow_at_timeout: bool,
    pub commands: CommandPlace,
    /// True if the sandbox hides from commands what rules deny to read.
    pub hides_denied: bool,
    /// The channel whose message started the turn.
    pub channel: Option<GateChannel>,
}

/// Where commands would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandPlace {
    /// In the daemon's sandbox.
    Sandbox,
    /// Without one, since the kernel supports none.
    Unsandboxed,
    /// In a runner, which has a sandbox of its own, or none.
    Runner,
}

impl GateSettings {
    /// The mode to judge by: `workspace` relies on the sandbox.
    const fn judged_mode(&self) -> Mode {
        match (self.mode, self.commands) {
            (Mode::Workspace, CommandPlace::Unsandboxed | CommandPlace::Runner) => Mode::Ask,
            (mode, _) => mode,
        }
    }
}

/// Judges the tool calls of one turn, by their effects. Knows no tool.
#[derive(Debug, Clone)]
pub struct Gate {
    settings: Arc<Mutex<GateSettings>>,
    hidden: Lazy<HiddenPlaces>,
}

/// The findings about one call while its effects are judged.
struct Judgement<'a> {
    settings: &'a GateSettings,
    policy: Policy,
    findings: Findings,
    permit: Permit,
}

impl Gate {
    pub fn new(settings: GateSettings) -> Self {
        Self {
            settings: Arc::new(Mutex::new(settings)),
            hidden: Lazy::default(),
        }
    }

    /// The files that a person may give to a model: all but those that rules deny to it and that are hidden from
    /// it; `None` for all files. Blocks on the disk.
    pub fn giveable(&self) -> Option<Arc<dyn ReadFilter>> {
        let settings = self.settings.lock();
        let settings = settings.unwrap_or_else(PoisonError::into_inner).clone();
        let denied = Unrestricted::by(Judgement::new(&settings).policy, Decision::Deny);
        without_hidden(&self.hidden, denied, &[], settings.base_dirs.project())
    }

    /// The same gate, which refuses reads and writes in hidden places, whatever rules and mode say.
    pub fn hiding(self, hidden: Lazy<HiddenPlaces>) -> Self {
        Self { hidden, ..self }
    }
}

impl Gatekeeper for Gate {
    fn judge(&self, effects: &[Effect], hook_reason: Option<&str>) -> BoxFuture<'static, Verdict> {
        let (gate, effects) = (self.clone(), effects.to_vec());
        let hook_reason = hook_reason.map(str::to_owned);
        // A long command takes milliseconds to parse, and one may be judged by the files that it names: a cancel
        // must not wait for the disk that they are on.
        let is_command = |effect: &Effect| {
            matches!(
                effect,
                Effect::RunCommand { .. } | Effect::RunUnsandboxed { .. }
            )
        };
        let has_command = effects.iter().any(is_command);
        let judge = move || {
            let settings = gate.settings.lock();
            let settings = settings.unwrap_or_else(PoisonError::into_inner).clone();
            Judgement::new(&settings).of(&effects, hook_reason, &gate.hidden)
        };
        let refused = |error: &dyn fmt::Display| {
            Verdict::Refuse(format!("not run: it could not be judged: {error}"))
        };
        Box::pin(async move {
            if has_command {
                let judged = spawn_blocking(judge).await;
                judged.unwrap_or_else(|error| refused(&error))
            } else {
                let judged = run_in_place(judge).await;
                judged.unwrap_or_else(|error| refused(&error))
            }
        })
    }

    fn allow(&self, rules: &[String]) {
        let rules = rules.iter().filter_map(|rule| rule.parse().ok());
        let mut settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        settings.rules.allow.extend(rules);
    }
}

impl<'a> Judgement<'a> {
    fn new(settings: &'a GateSettings) -> Self {
        let policy = settings
            .rules
            .actions(settings.judged_mode(), &settings.base_dirs);
        let policy = match settings.hides_denied {
            true => policy.hiding_denied(),
            false => policy,
        };
        Self {
            permit: Permit {
                reads: Unrestricted::by(policy.clone(), Decision::Ask),
                ..Permit::default()
            },
            findings: Findings::default(),
            settings,
            policy,
        }
    }

    fn of(
        mut self,
        effects: &[Effect],
        hook_reason: Option<String>,
        hidden: &Lazy<HiddenPlaces>,
    ) -> Verdict {
        for effect in effects {
            match hidden.get().refusal(effect) {
                Some(reason) => self.findings.deny(reason),
                None => self.effect(effect),
            }
        }
        if let Some(reason) = hook_reason {
            self.findings.ask(reason);
        }
        if let Some(channel) = &self.settings.channel {
            self.findings.name_channel(channel, effects);
        }
        // Used only if all of them are allowed.
        self.permit.granted = effects.into();
        let project = self.settings.base_dirs.project();
        let reads = self.permit.reads.take();
        self.permit.reads = without_hidden(hidden, reads, effects, project);
        let reason = self.findings.reasons.join("; ");
        match self.findings.decision {
            Decision::Allow => Verdict::Allow(self.permit),
            Decision::Deny => Verdict::Refuse(format!("not run: {reason}")),
            Decision::Ask => Verdict::Ask {
                question: Question {
                    reason,
                    rules: self.findings.rules(),
                    session_only: self.findings.session_only,
                    timeout: self.settings.timeout,
                    allow_at_timeout: self.settings.allow_at_timeout,
                },
                permit: self.permit,
            },
        }
    }

    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::RunCommand { network, .. } => return self.command(effect, *network),
            Effect::RunUnsandboxed {
                command,
                directory,
                reason,
            } => {
                self.findings
                    .judge_unsandboxed(&self.policy, effect, reason);
                self.deny_by_network_rule(&Effect::RunCommand {
                    command: command.clone(),
                    directory: directory.clone(),
                    network: true,
                });
                self.permit.command = CommandAccess::Full;
                return;
            }
            _ => {}
        }
        let decision = self.findings.judge(&self.policy, effect, GateRule::Action);
        match effect {
            Effect::ReadPath { .. } if decision == Decision::Ask => {
                // The permit is used only after a yes, which covers what `ask` rules withhold.
                self.permit.reads = Unrestricted::by(self.policy.clone(), Decision::Deny);
            }
            Effect::WritePath {
                named,
                protection: Some(reason),
                ..
            } => {
                self.findings.ask(format!("{named}: {reason}"));
                self.permit.protected_writes = true;
            }
            _ => {}
        }
    }

    /// Outside the sandbox every command has the network, so a rule that denies it the network denies it
    /// that too. The mode `full` knows no such rules.
    fn deny_by_network_rule(&mut self, run: &Effect) {
        let policy = self.settings.rules.network(&self.settings.base_dirs);
        let is_denied = policy.judge(run).decision == Decision::Deny;
        if is_denied && self.settings.mode != Mode::Full {
            let reason = "outside the sandbox it would have the network, which a rule denies it";
            self.findings.deny(reason.to_owned());
        }
    }

    /// The policy for a command: it knows which names given to `git checkout` are files, and which of the
    /// paths that are discarded git ignores.
    fn policy_for(&self, run: &Effect) -> Policy {
        let files = existing(self.policy.restored(run));
        let policy = self.policy.clone().with_files(files);
        let discarded = policy.discarded(run);
        if discarded.is_empty() {
            return policy;
        }
        let project = self.settings.base_dirs.project();
        policy.ignoring(ignored(project, discarded))
    }

    /// Judges a command and its use of the network separately. Without a sandbox every command is
    /// asked about.
    fn command(&mut self, run: &Effect, network: bool) {
        if self.settings.commands == CommandPlace::Runner {
            self.runner_command(run);
            return;
        }
        let policy = self.policy_for(run);
        self.findings.judge(&policy, run, GateRule::Action);
        self.permit.hidden = HiddenByRules::by(&self.policy);
        self.permit.command = match self.settings.mode {
            Mode::Full => CommandAccess::Full,
            _ if self.settings.commands == CommandPlace::Unsandboxed => {
                self.findings.ask(UNSANDBOXED.to_owned());
                CommandAccess::Full
            }
            Mode::Readonly => {
                if network {
                    let reason = "the mode readonly denies commands the network";
                    self.findings.deny(reason.to_owned());
                }
                CommandAccess::Readonly
            }
            Mode::Ask | Mode::Workspace => {
                if network {
                    let policy = self.settings.rules.network(&self.settings.base_dirs);
                    self.findings.judge_network(&policy, run);
                }
                CommandAccess::Workspace { network }
            }
        };
    }

    /// Judges a command that a runner would run itself: a clearly harmless one runs, any other is asked
    /// about, even where the daemon's sandbox would make a question needless.
    fn runner_command(&mut self, run: &Effect) {
        self.deny_by_network_rule(run);
        if self.settings.mode != Mode::Readonly {
            let policy = self.policy_for(run);
            self.findings.judge(&policy, run, GateRule::Action);
            return;
        }
        let dirs = &self.settings.base_dirs;
        let verdict = self.settings.rules.actions(Mode::Ask, dirs).judge(run);
        if verdict.decision != Decision::Allow {
            let reason = "the mode readonly allows a runner only commands that change nothing";
            self.findings.deny(reason.to_owned());
        }
    }
}
