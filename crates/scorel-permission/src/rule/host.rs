//! Host patterns.

use url::Host;

use super::RuleErrorKind;

/// A pattern of host names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostPattern {
    Any,
    Exactly(String),
    /// The subdomains of this name, without the name itself.
    Below(String),
}

impl HostPattern {
    pub(crate) fn parse(pattern: Option<&str>) -> Result<Self, (usize, RuleErrorKind)> {
        let Some(pattern) = pattern else {
            return Ok(Self::Any);
        };
        let Some(host) = pattern.trim().strip_prefix("domain:") else {
            return Err((0, RuleErrorKind::Host));
        };
        let error = ("domain:".len(), RuleErrorKind::Host);
        if host == "*" {
            return Ok(Self::Any);
        }
        let (name, is_below) = match host.strip_prefix("*.") {
            Some(name) => (name, true),
            None => (host, false),
        };
        let is_plain = !name.contains(['*', '/', '@', ' ']);
        match Host::parse(name) {
            Ok(parsed) if is_plain => {
                let name = canonical(&parsed.to_string());
                Ok(if is_below {
                    Self::Below(name)
                } else {
                    Self::Exactly(name)
                })
            }
            _ => Err(error),
        }
    }

    /// Whether it covers the host by its name, or by that of a domain above it.
    pub(crate) fn names(&self, host: &str) -> bool {
        !matches!(self, Self::Any) && self.covers(host)
    }

    pub(crate) fn covers(&self, host: &str) -> bool {
        let host = canonical(host);
        match self {
            Self::Any => true,
            Self::Exactly(name) => host == *name,
            Self::Below(name) => host
                .strip_suffix(name.as_str())
                .is_some_and(|rest| rest.ends_with('.')),
        }
    }
}

fn canonical(host: &str) -> String {
    host.trim_end_matches('.').to_lowercase()
}
