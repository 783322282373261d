//! The verdict about a page of a private host.

use super::Policy;
use crate::rule::RuleScope;
use crate::{PolicyVerdict, Rule, WebUrl};

impl Policy {
    /// The answers of such a host were never meant for the public, and a page that the model reads may have
    /// told it the address. So no mode allows it, and an allowing rule must name the host: one for every
    /// host was not written with this machine in mind.
    pub(super) fn fetch_private(&self, url: &WebUrl) -> PolicyVerdict {
        let host = url.host();
        let covers = |rule: &Rule| matches!(rule.scope(), RuleScope::Fetch(p) if p.covers(host));
        let names = |rule: &Rule| matches!(rule.scope(), RuleScope::Fetch(p) if p.names(host));
        self.forbidding(covers)
            .or_else(|| self.allowed_by_rule(names))
            .unwrap_or_else(|| PolicyVerdict::ask(format!("{host} is not a public address")))
    }
}
