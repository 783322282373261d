use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

/// A machine as ssh takes it: `[USER@]HOST`, where HOST may be an alias of the ssh configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshHost(String);

/// The reason for which a text names no machine for ssh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SshHostError {
    /// There is no host, or an empty user.
    #[error("expected [USER@]HOST")]
    Empty,
    /// It would be read as an option of ssh, or it has blanks or control characters.
    #[error("a host has no blanks or control characters, and does not begin with `-`")]
    Characters,
    /// It has a port, or the slashes of a URL.
    #[error(
        "expected [USER@]HOST only: a port belongs into ~/.ssh/config, under an alias for the host"
    )]
    Port,
}

impl SshHost {
    /// The longest one: a name of DNS has 253 characters.
    const MAX_BYTES: usize = 512;

    /// The machine as ssh takes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part after the user.
    pub fn host(&self) -> &str {
        self.0.rsplit_once('@').map_or(&*self.0, |(_, host)| host)
    }
}

impl fmt::Display for SshHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SshHost {
    type Err = SshHostError;

    fn from_str(text: &str) -> Result<Self, SshHostError> {
        let (user, host) = match text.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, text),
        };
        if host.is_empty() || user == Some("") {
            return Err(SshHostError::Empty);
        }
        let is_strange = |char: char| char.is_whitespace() || char.is_control() || !char.is_ascii();
        if text.chars().any(is_strange)
            || text.len() > Self::MAX_BYTES
            || host.starts_with('-')
            || user.is_some_and(|user| user.starts_with('-'))
        {
            return Err(SshHostError::Characters);
        }
        let address = host.split('%').next().unwrap_or_default();
        let is_plain = !host.contains([':', '/']) || address.parse::<Ipv6Addr>().is_ok();
        if !is_plain || host.contains('/') {
            return Err(SshHostError::Port);
        }
        Ok(Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_an_alias_a_name_or_an_address_with_or_without_a_user() {
        for (text, host) in [
            ("build", "build"),
            ("anna@build.example.org", "build.example.org"),
            ("a@b@build", "build"),
            ("192.0.2.1", "192.0.2.1"),
            ("anna@fe80::1%eth0", "fe80::1%eth0"),
            ("::1", "::1"),
        ] {
            let parsed: SshHost = text.parse().expect(text);
            assert_eq!((parsed.as_str(), parsed.host()), (text, host));
        }
    }

    #[test]
    fn what_ssh_would_take_for_something_else_is_refused() {
        for (text, error) in [
            ("", SshHostError::Empty),
            ("anna@", SshHostError::Empty),
            ("@build", SshHostError::Empty),
            ("-oProxyCommand=x", SshHostError::Characters),
            ("anna@-oProxyCommand=x", SshHostError::Characters),
            ("-l@build", SshHostError::Characters),
            ("a b", SshHostError::Characters),
            ("build\n", SshHostError::Characters),
            ("b\u{1b}[2J", SshHostError::Characters),
            ("b\u{202e}x", SshHostError::Characters),
            ("build:22", SshHostError::Port),
            ("//build", SshHostError::Port),
            ("//anna@build:22", SshHostError::Port),
            ("[::1]:22", SshHostError::Port),
        ] {
            assert_eq!(text.parse::<SshHost>(), Err(error), "{text}");
        }
        let long = "x".repeat(513);
        assert_eq!(long.parse::<SshHost>(), Err(SshHostError::Characters));
    }
}
