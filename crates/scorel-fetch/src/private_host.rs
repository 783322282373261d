use std::str::FromStr;

use scorel_permission::{WebHost, WebUrl};
use serde::Deserialize;

/// A host that may be fetched from although its address is not public: `host` for all ports, `host:port`
/// for one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PrivateHost {
    host: WebHost,
    port: Option<u16>,
}

/// The text is not a host, or a host with a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a host such as `wiki.lan`, or one with a port such as `127.0.0.1:8080`")]
pub struct PrivateHostError;

impl PrivateHost {
    /// The host of a URL, at its port only.
    pub(crate) fn of(url: &WebUrl) -> Self {
        Self {
            host: url.host().clone(),
            port: url.port(),
        }
    }

    /// Returns whether the URL is on this host.
    pub(crate) fn covers(&self, url: &WebUrl) -> bool {
        let port = self.port.or(url.port());
        *url.host() == self.host && port == url.port()
    }
}

impl FromStr for PrivateHost {
    type Err = PrivateHostError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains(['/', '?', '#', '@', '\\', '*']) || text.contains(char::is_whitespace) {
            return Err(PrivateHostError);
        }
        // The parser drops port 80, the scheme's default, so the port is taken from the text.
        let url = WebUrl::parse(&format!("http://{text}")).map_err(|_| PrivateHostError)?;
        let port = match text.rsplit_once(':') {
            Some((_, port)) if !port.ends_with(']') => {
                Some(port.parse().map_err(|_| PrivateHostError)?)
            }
            _ => None,
        };
        let host = url.host().clone();
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
    use scorel_permission::WebUrl;

    use super::PrivateHost;

    fn covers(host: &str, url: &str) -> bool {
        let host: PrivateHost = host.parse().unwrap();
        host.covers(&WebUrl::parse(url).unwrap())
    }

    #[test]
    fn every_spelling_of_a_host_matches() {
        assert!(covers("wiki.lan", "https://WIKI.lan./page"));
        assert!(covers("wiki.lan", "http://wiki.lan:8080/"));
        assert!(covers("127.0.0.1", "http://0x7f.1:99/"));
        assert!(covers("127.0.0.1..", "http://[::ffff:7f00:1]:99/"));
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
