use std::fmt;

use futures_util::future::BoxFuture;
use scorel_engine::Effect;

/// Tells whether a hook's `if` holds for a call. It is a permission rule, which only the gate can judge.
pub trait HookCondition: fmt::Debug + Send + Sync {
    /// Returns whether a call with these effects matches the rule. A rule that is none matches everything: a
    /// guard with a typo guards more, and not less.
    fn holds(&self, rule: &str, effects: &[Effect]) -> BoxFuture<'static, bool>;
}
