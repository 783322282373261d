use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_permission::{Action, Decision, Mode, Place, Policy, Verdict as Judgement};
use scorel_runtime::{Gatekeeper, Question, ToolCall, Verdict};
use scorel_tools::{CommandAccess, ProjectTools};
use serde_json::Value;

use super::read_filter::Unrestricted;
use super::{GateRule, RuleSet};

/// Why a command is asked about where it would run without a sandbox.
const UNSANDBOXED: &str = "this kernel cannot keep commands in a sandbox: it would run unsandboxed";

/// What a gate decides by.
#[derive(Debug, Clone)]
pub(crate) struct GateSettings {
    pub(crate) mode: Mode,
    /// The rules of the configuration, with what was granted among those that allow.
    pub(crate) rules: RuleSet,
    pub(crate) place: Place,
    /// How long a question stands; for ever if absent.
    pub(crate) timeout: Option<Duration>,
    /// Whether a call runs if nobody has answered by then.
    pub(crate) allow_at_timeout: bool,
    /// Whether commands can be kept in a sandbox.
    pub(crate) sandbox: bool,
    /// The names of the tools that the model is offered.
    pub(crate) offered: Vec<String>,
}

/// Judges the tool calls of one turn.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    tools: Arc<ProjectTools>,
    settings: Arc<Mutex<GateSettings>>,
}

/// What is said about a call, from all that was judged of it.
struct Findings {
    decision: Decision,
    /// Why it is asked about or denied.
    reasons: Vec<String>,
    /// What would allow it; nothing once something of it can only be allowed each time.
    rules: Option<Vec<GateRule>>,
}

impl Gate {
    pub(crate) fn new(tools: Arc<ProjectTools>, settings: GateSettings) -> Self {
        tools.filter_reads(Unrestricted::by(settings.actions(), Decision::Ask));
        Self {
            tools,
            settings: Arc::new(Mutex::new(settings)),
        }
    }

    fn settings(&self) -> MutexGuard<'_, GateSettings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Judges a call. Looks at the file system.
    fn judge_now(&self, call: &ToolCall) -> Verdict {
        let settings = self.settings().clone();
        if !settings.offered.contains(&call.name) {
            // It does nothing but say that there is no such tool.
            return Verdict::Allow;
        }
        // An earlier call of this id may have got more and not come.
        self.tools.reset_filter(&call.id);
        let mut findings = Findings::default();
        match call.name.as_str() {
            "Bash" => self.command(call, &settings, &mut findings),
            "Write" | "Edit" => self.write(call, &settings, &mut findings),
            "Read" | "Glob" | "Grep" => {
                if let Some(path) = reads(call, settings.place.project()) {
                    let policy = settings.actions();
                    findings.judged(&policy, &Action::Read { path }, GateRule::Action);
                    if findings.decision == Decision::Ask {
                        // It runs only if it is allowed, and then it shows what it asks for.
                        let filter = Unrestricted::by(policy, Decision::Deny);
                        self.tools.filter_call(&call.id, filter);
                    }
                }
            }
            "WebFetch" => {
                if let Some(url) = text(call, "url") {
                    let action = Action::Fetch {
                        url: url.to_owned(),
                    };
                    findings.judged(&settings.actions(), &action, GateRule::Action);
                }
            }
            "Todo" | "BashOutput" | "BashStop" => {}
            _ => findings.ask("nothing is known about what this tool does".to_owned()),
        }
        findings.verdict(&settings)
    }

    /// A command needs to be allowed, and so does its use of the network; without a sandbox that
    /// is asked each time.
    fn command(&self, call: &ToolCall, settings: &GateSettings, findings: &mut Findings) {
        let Some(command) = text(call, "command") else {
            return;
        };
        let directory = match text(call, "cwd") {
            Some(directory) => below(settings.place.project(), directory),
            None => settings.place.project().to_owned(),
        };
        let run = Action::Run {
            command: command.to_owned(),
            directory,
        };
        findings.judged(&settings.actions(), &run, GateRule::Action);
        let network = call.input.get("network").and_then(Value::as_bool) == Some(true);
        let access = match settings.mode {
            Mode::Full => CommandAccess::Full,
            _ if !settings.sandbox => {
                findings.ask(UNSANDBOXED.to_owned());
                CommandAccess::Full
            }
            Mode::Readonly if network => {
                findings.deny("the mode readonly denies commands the network".to_owned());
                CommandAccess::Readonly
            }
            Mode::Readonly => CommandAccess::Readonly,
            Mode::Workspace => {
                if network {
                    findings.network(&settings.rules.network(&settings.place), &run);
                }
                CommandAccess::Workspace { network }
            }
        };
        // The call runs only if it is allowed, and then with this.
        if let Some(commands) = self.tools.commands() {
            commands.grant(&call.id, access);
        }
    }

    fn write(&self, call: &ToolCall, settings: &GateSettings, findings: &mut Findings) {
        let target = match self.tools.write_target(call) {
            Ok(Some(target)) => target,
            Ok(None) => return,
            // It may lead somewhere by the time the call runs.
            Err(error) => return findings.deny(error.to_string()),
        };
        let action = Action::Write {
            path: target.path().to_owned(),
        };
        findings.judged(&settings.actions(), &action, GateRule::Action);
        if let Some(protection) = target.protection() {
            findings.ask(format!("{}: {}", target.location(), protection.reason()));
        }
        self.tools.permit(&call.id, target);
    }
}

impl Gatekeeper for Gate {
    fn judge(&self, call: &ToolCall) -> BoxFuture<'static, Verdict> {
        let (gate, call) = (self.clone(), call.clone());
        let judged = tokio::task::spawn_blocking(move || gate.judge_now(&call));
        Box::pin(async move {
            judged.await.unwrap_or_else(|error| {
                Verdict::Refuse(format!("not run: it could not be judged: {error}"))
            })
        })
    }

    fn allow(&self, rules: &[String]) {
        let rules = rules.iter().filter_map(|rule| rule.parse().ok());
        self.settings().rules.allow.extend(rules);
    }
}

impl GateSettings {
    fn actions(&self) -> Policy {
        self.rules.actions(self.mode, &self.place)
    }
}

impl Default for Findings {
    fn default() -> Self {
        Self {
            decision: Decision::Allow,
            reasons: Vec::new(),
            rules: Some(Vec::new()),
        }
    }
}

impl Findings {
    /// Judges an action; `kind` is what a rule is called that would allow it.
    fn judged(
        &mut self,
        policy: &Policy,
        action: &Action,
        kind: fn(scorel_permission::Rule) -> GateRule,
    ) {
        let Judgement {
            decision, reason, ..
        } = policy.judge(action);
        match decision {
            Decision::Allow => {}
            Decision::Deny => self.deny(reason),
            Decision::Ask => {
                let rules = policy.rule_for(action);
                if rules.is_empty() {
                    self.ask(reason);
                } else {
                    self.decision = self.decision.max(Decision::Ask);
                    self.reasons.push(reason);
                    if let Some(known) = &mut self.rules {
                        known.extend(rules.into_iter().map(kind));
                    }
                }
            }
        }
    }

    fn network(&mut self, policy: &Policy, run: &Action) {
        let before = self.reasons.len();
        self.judged(policy, run, GateRule::Network);
        for reason in &mut self.reasons[before..] {
            *reason = format!("it wants to use the network, and {reason}");
        }
    }

    /// Something that no rule allows.
    fn ask(&mut self, reason: String) {
        self.decision = self.decision.max(Decision::Ask);
        self.reasons.push(reason);
        self.rules = None;
    }

    fn deny(&mut self, reason: String) {
        self.decision = Decision::Deny;
        self.reasons.push(reason);
        self.rules = None;
    }

    fn verdict(self, settings: &GateSettings) -> Verdict {
        let reason = self.reasons.join("; ");
        match self.decision {
            Decision::Allow => Verdict::Allow,
            Decision::Deny => Verdict::Refuse(format!("not run: {reason}")),
            Decision::Ask => {
                let rules = self.rules.unwrap_or_default();
                Verdict::Ask(Question {
                    reason,
                    rules: rules.iter().map(ToString::to_string).collect(),
                    timeout: settings.timeout,
                    allow_at_timeout: settings.allow_at_timeout,
                })
            }
        }
    }
}

fn text<'a>(call: &'a ToolCall, field: &str) -> Option<&'a str> {
    call.input.get(field)?.as_str()
}

/// What a reading call looks at, with links followed where it is there.
fn reads(call: &ToolCall, project: &Path) -> Option<PathBuf> {
    let path = match text(call, "path") {
        Some(path) => below(project, path),
        None if call.name == "Read" => return None,
        None => project.to_owned(),
    };
    Some(path.canonicalize().unwrap_or(path))
}

/// What a tool takes a path for: one below the project, which may be called by its name.
fn below(project: &Path, path: &str) -> PathBuf {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    project.join(if first == "@project" { rest } else { path })
}
