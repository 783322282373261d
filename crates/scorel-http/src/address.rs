use std::fmt;

use reqwest::Url;

/// The host and port of an endpoint, for messages. Paths and queries may hold tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointAddress {
    host: String,
    port: Option<u16>,
    /// True if the port is not the scheme's.
    is_own_port: bool,
    is_local: bool,
}

impl EndpointAddress {
    pub fn of(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
        Self {
            host: host.to_owned(),
            port: url.port_or_known_default(),
            is_own_port: url.port().is_some(),
            is_local: address.map_or(host == "localhost", |address| address.is_loopback()),
        }
    }

    /// Without a port that goes without saying.
    pub fn short(&self) -> String {
        if self.is_own_port {
            self.to_string()
        } else {
            self.host.clone()
        }
    }

    /// Returns whether the host is this machine.
    pub const fn is_local(&self) -> bool {
        self.is_local
    }

    /// The hint for a refused connection.
    pub fn nothing_listens(&self) -> String {
        let place = if self.is_local {
            " on this machine"
        } else {
            ""
        };
        match self.port {
            Some(port) => format!(
                "nothing listens at port {port} of {}{place}: is the server running, and is the port \
                 right?",
                self.host
            ),
            None => format!(
                "nothing listens at {}{place}: is the server running?",
                self.host
            ),
        }
    }
}

impl fmt::Display for EndpointAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.host),
            None => f.write_str(&self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::EndpointAddress;

    #[test]
    fn an_address_names_the_port_that_was_dialled() {
        for (url, long, short) in [
            (
                "https://api.example.com/v1?key=x",
                "api.example.com:443",
                "api.example.com",
            ),
            (
                "http://127.0.0.1:11434/v1",
                "127.0.0.1:11434",
                "127.0.0.1:11434",
            ),
            ("http://[::1]:1/v1", "[::1]:1", "[::1]:1"),
        ] {
            let address = EndpointAddress::of(&Url::parse(url).unwrap());
            assert_eq!(address.to_string(), long);
            assert_eq!(address.short(), short);
        }
    }

    #[test]
    fn the_hint_asks_whether_the_server_runs() {
        let hint = |url| EndpointAddress::of(&Url::parse(url).unwrap()).nothing_listens();
        let local = hint("http://localhost:8080");
        assert!(
            local.contains("port 8080 of localhost on this machine"),
            "{local}"
        );
        assert!(!hint("https://example.com").contains("this machine"));
    }
}
