use std::str::FromStr;

use serde::Deserialize;
use url::{Host, Url};

/// A host that may be fetched from although its address is not public: `host` for all ports, `host:port`
/// for one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PrivateHost {
    host: Host,
    port: Option<u16>,
}

/// The text is not a host, or a host with a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a host such as `wiki.lan`, or one with a port such as `127.0.0.1:8080`")]
pub struct PrivateHostError;

impl PrivateHost {
    /// The host of a URL, at its port only; `None` if it has none.
    pub(crate) fn of(url: &Url) -> Option<Self> {
        Some(Self {
            host: host(url)?,
            port: Some(url.port_or_known_default()?),
        })
    }

    /// Whether the URL is on this host.
    pub(crate) fn covers(&self, url: &Url) -> bool {
        let port = self.port.or(url.port_or_known_default());
        host(url).as_ref() == Some(&self.host) && port == url.port_or_known_default()
    }
}

/// The host of a URL, without the trailing dot of a fully qualified name.
pub(crate) fn host(url: &Url) -> Option<Host> {
    url.host().map(|host| match host {
        Host::Domain(name) => Host::Domain(name.strip_suffix('.').unwrap_or(name).to_owned()),
        Host::Ipv4(address) => Host::Ipv4(address),
        Host::Ipv6(address) => Host::Ipv6(address),
    })
}

impl FromStr for PrivateHost {
    type Err = PrivateHostError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains(['/', '?', '#', '@', '\\', '*']) || text.contains(char::is_whitespace) {
            return Err(PrivateHostError);
        }
        // The parser drops port 80, the scheme's default, so the port is taken from the text.
        let url = Url::parse(&format!("http://{text}")).map_err(|_| PrivateHostError)?;
        let port = match text.rsplit_once(':') {
            Some((_, port)) if !port.ends_with(']') => {
                Some(port.parse().map_err(|_| PrivateHostError)?)
            }
            _ => None,
        };
        let host = host(&url).ok_or(PrivateHostError)?;
        Ok(Self { host, port })
    }
}

impl TryFrom<String> for PrivateHost {
    type Error = PrivateHostError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::PrivateHost;

    fn covers(host: &str, url: &str) -> bool {
        let host: PrivateHost = host.parse().unwrap();
        host.covers(&Url::parse(url).unwrap())
    }

    #[test]
    fn every_spelling_of_a_host_matches() {
        assert!(covers("wiki.lan", "https://WIKI.lan./page"));
        assert!(covers("wiki.lan", "http://wiki.lan:8080/"));
        assert!(covers("127.0.0.1", "http://0x7f.1:99/"));
        assert!(covers("[::1]", "http://[0:0::1]/"));
        assert!(covers("[::1]:80", "http://[::1]/"));
        assert!(covers("localhost:80", "http://localhost/"));
        assert!(covers("localhost:443", "https://localhost/"));
    }

    #[test]
    fn no_other_host_or_port_matches() {
        assert!(!covers("localhost:80", "https://localhost/"));
        assert!(!covers("localhost:8080", "http://localhost:8081/"));
        assert!(!covers("lan", "http://wiki.lan/"));
        assert!(!covers("127.0.0.1", "http://localhost/"));
    }

    #[test]
    fn invalid_hosts_are_refused() {
        for text in [
            "", "a b", "http://a", "a/b", "u@a", "a:", "a:x", "a:65536", "*.lan", "[::1", "a?b",
        ] {
            assert!(text.parse::<PrivateHost>().is_err(), "{text}");
        }
    }
}
