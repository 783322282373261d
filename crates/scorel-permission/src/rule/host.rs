//! Host patterns.

use url::Host;

use super::RuleErrorKind;
use crate::WebHost;

/// A pattern of host names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostPattern {
    Any,
    Exactly(WebHost),
    /// The subdomains of this name, without the name itself.
    Below(WebHost),
}

impl HostPattern {
    pub(crate) fn parse(pattern: Option<&str>) -> Result<Self, (usize, RuleErrorKind)> {
        let pattern = pattern.map_or("domain:*", str::trim);
        let host = pattern
            .strip_prefix("domain:")
            .ok_or((0, RuleErrorKind::Host))?;
        if host == "*" {
            return Ok(Self::Any);
        }
        let (name, is_below) = match host.strip_prefix("*.") {
            Some(name) => (name, true),
            None => (host, false),
        };
        let is_plain = !name.contains(['*', '/', '@', ' ']);
        match name.parse() {
            Ok(host) if is_plain && is_below => Ok(Self::Below(host)),
            Ok(host) if is_plain => Ok(Self::Exactly(host)),
            _ => Err(("domain:".len(), RuleErrorKind::Host)),
        }
    }

    /// Returns whether it covers the host by its name, or by that of a domain above it.
    pub(crate) fn names(&self, host: &WebHost) -> bool {
        !matches!(self, Self::Any) && self.covers(host)
    }

    pub(crate) fn covers(&self, host: &WebHost) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(name) => host == name,
            Self::Below(name) => match (host.as_host(), name.as_host()) {
                (Host::Domain(host), Host::Domain(name)) => host
                    .strip_suffix(name.as_str())
                    .is_some_and(|rest| rest.ends_with('.')),
                _ => false,
            },
        }
    }
}
