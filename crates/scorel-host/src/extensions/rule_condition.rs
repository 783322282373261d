use futures_util::future::{BoxFuture, FutureExt as _, ready};
use scorel_config::{GateRule, Mode, RuleSet};
use scorel_engine::{Effect, Gatekeeper as _, Verdict};
use scorel_extension::hook::HookCondition;
use scorel_permission::BaseDirs;

use scorel_gate::{CommandPlace, Gate, GateSettings};

/// Judges the `if` of hooks as the gate judges `ask` rules.
#[derive(Debug)]
pub(super) struct RuleCondition {
    pub(super) base_dirs: BaseDirs,
}

impl HookCondition for RuleCondition {
    fn holds(&self, rule: &str, effects: &[Effect]) -> BoxFuture<'static, bool> {
        let Ok(rule) = rule.parse::<GateRule>() else {
            return ready(true).boxed();
        };
        let gate = Gate::new(GateSettings {
            mode: Mode::Full,
            rules: RuleSet {
                ask: vec![rule],
                ..RuleSet::default()
            },
            base_dirs: self.base_dirs.clone(),
            timeout: None,
            allow_at_timeout: false,
            commands: CommandPlace::Sandbox,
            hides_denied: false,
            channel: None,
        });
        let judged = gate.judge(effects, None);
        async move { !matches!(judged.await, Verdict::Allow(_)) }.boxed()
    }
}
