use scorel_engine::Effect;
use scorel_permission::{Decision, Policy, PolicyVerdict, Rule, RuleOffer, spelled};

use scorel_config::GateRule;

use crate::channel::GateChannel;

/// The judgements of all effects of one call, combined: the strongest decision counts.
pub(crate) struct Findings {
    pub(crate) decision: Decision,
    /// The reason for the request or refusal.
    pub(crate) reasons: Vec<String>,
    /// The rules that would allow all of it; nothing once a part can only be allowed each time.
    rules: Option<Vec<GateRule>>,
    /// True if the rules may hold for the session only.
    pub(crate) session_only: bool,
}

impl Default for Findings {
    fn default() -> Self {
        Self {
            decision: Decision::Allow,
            reasons: Vec::new(),
            rules: Some(Vec::new()),
            session_only: false,
        }
    }
}

impl Findings {
    /// Judges an effect by `policy` and returns the decision; `kind` makes a rule of this policy one
    /// of the gate.
    pub(crate) fn judge(
        &mut self,
        policy: &Policy,
        effect: &Effect,
        kind: fn(Rule) -> GateRule,
    ) -> Decision {
        let PolicyVerdict {
            decision, reason, ..
        } = policy.judge(effect);
        match decision {
            Decision::Allow => {}
            Decision::Deny => self.deny(reason),
            Decision::Ask => {
                let RuleOffer {
                    rules,
                    is_for_session,
                } = policy.offer(effect);
                self.session_only |= is_for_session;
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
        decision
    }

    /// Judges a command's use of the network.
    pub(crate) fn judge_network(&mut self, policy: &Policy, run: &Effect) {
        let before = self.reasons.len();
        self.judge(policy, run, GateRule::Network);
        for reason in &mut self.reasons[before..] {
            *reason = format!("it wants to use the network, and {reason}");
        }
    }

    /// Judges a command that would run outside the sandbox. `why` is the model's reason for that.
    pub(crate) fn judge_unsandboxed(&mut self, policy: &Policy, run: &Effect, why: &str) {
        let before = self.reasons.len();
        let why = stated(why);
        if self.judge(policy, run, GateRule::Action) == Decision::Ask {
            for reason in &mut self.reasons[before..] {
                *reason = format!(
                    "it would run outside the sandbox (stated reason: {why}), and {reason}"
                );
            }
        }
    }

    /// Requires a decision that no rule can give.
    pub(crate) fn ask(&mut self, reason: String) {
        self.decision = self.decision.max(Decision::Ask);
        self.reasons.push(reason);
        self.rules = None;
    }

    /// Says in a question that no person has started the turn. Its rules do not outlive the session: who answers has
    /// the message in mind.
    pub(crate) fn name_channel(&mut self, channel: &GateChannel, effects: &[Effect]) {
        let spawns = |it: &Effect| matches!(it, Effect::SpawnAgent { .. });
        if channel.lowers && effects.iter().any(spawns) {
            self.ask("an agent may do more than the channel allows".to_owned());
        }
        if self.decision == Decision::Ask {
            self.session_only = true;
            let source = format!("asked for a message of the channel {}", channel.label);
            self.reasons.push(source);
        }
    }

    pub(crate) fn deny(&mut self, reason: String) {
        self.decision = Decision::Deny;
        self.reasons.push(reason);
        self.rules = None;
    }

    /// The rules that would allow the call, as texts.
    pub(crate) fn rules(&self) -> Vec<String> {
        let rules = self.rules.iter().flatten();
        rules.map(ToString::to_string).collect()
    }
}

/// A text of the model's in quotation marks, as one line that ends where it seems to.
fn stated(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("\"{}\"", spelled(&words.join(" ")))
}
