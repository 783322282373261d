use reqwest::Url;

use crate::address::EndpointAddress;

/// The kind of connection that a URL needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionRoute {
    /// Unencrypted, to this machine.
    Loopback,
    /// Unencrypted, to another machine.
    Plain,
    /// TLS.
    Secure,
}

impl ConnectionRoute {
    pub(crate) fn of(url: &Url) -> Self {
        match url.scheme() {
            "http" if EndpointAddress::of(url).is_local() => Self::Loopback,
            "http" => Self::Plain,
            _ => Self::Secure,
        }
    }
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::ConnectionRoute;

    #[test]
    fn only_plain_urls_of_this_machine_bypass_proxies() {
        for (url, route) in [
            ("http://127.0.0.1:11434/v1", ConnectionRoute::Loopback),
            ("http://localhost/v1", ConnectionRoute::Loopback),
            ("http://[::1]:8080/v1", ConnectionRoute::Loopback),
            ("http://ollama:11434/v1", ConnectionRoute::Plain),
            ("http://127.0.0.1.example.com/v1", ConnectionRoute::Plain),
            ("https://127.0.0.1/v1", ConnectionRoute::Secure),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(ConnectionRoute::of(&url), route, "{url}");
        }
    }
}
