//! URLs of the web. Rules, the question, the fetcher's checks and its connection see one spelling of
//! a host.

use std::fmt;
use std::str::FromStr;

use url::{Host, ParseError, Url};

/// A host in normal form: in lower case and ASCII, without dots at its end, and an address as an
/// address however it is spelled: `127.1..` and `[::ffff:127.0.0.1]` are 127.0.0.1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WebHost(Host);

impl WebHost {
    pub const fn as_host(&self) -> &Host {
        &self.0
    }

    fn normal(host: Host) -> Result<Self, ParseError> {
        Ok(Self(match host {
            // Without its last dots it may be an address.
            Host::Domain(name) => Host::parse(name.trim_end_matches('.'))?,
            Host::Ipv4(address) => Host::Ipv4(address),
            Host::Ipv6(address) => match address.to_ipv4_mapped() {
                Some(address) => Host::Ipv4(address),
                None => Host::Ipv6(address),
            },
        }))
    }
}

impl FromStr for WebHost {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::normal(Host::parse(text)?)
    }
}

impl fmt::Display for WebHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An `http` or `https` URL whose host is in normal form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebUrl {
    url: Url,
    host: WebHost,
}

/// A URL is not one of the web.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebUrlError {
    #[error("invalid URL: {0}")]
    Invalid(#[from] ParseError),
    #[error("`{0}` is not fetched; only http and https are")]
    Scheme(String),
}

impl WebUrl {
    /// # Errors
    /// It is not a URL of the web.
    pub fn parse(text: &str) -> Result<Self, WebUrlError> {
        Self::new(Url::parse(text.trim())?)
    }

    /// # Errors
    /// It is not a URL of the web.
    pub fn new(mut url: Url) -> Result<Self, WebUrlError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(WebUrlError::Scheme(url.scheme().to_owned()));
        }
        let host = url.host().ok_or(ParseError::EmptyHost)?;
        let host = WebHost::normal(host.to_owned())?;
        url.set_host(Some(&host.to_string()))?;
        // Never sent to a server.
        url.set_fragment(None);
        Ok(Self { url, host })
    }

    pub const fn as_url(&self) -> &Url {
        &self.url
    }

    pub const fn host(&self) -> &WebHost {
        &self.host
    }

    /// The port that it names, or that of its scheme.
    pub fn port(&self) -> Option<u16> {
        self.url.port_or_known_default()
    }
}

impl From<WebUrl> for String {
    fn from(url: WebUrl) -> Self {
        url.url.into()
    }
}

#[cfg(test)]
mod tests {
    use super::{WebHost, WebUrl};

    #[test]
    fn every_spelling_of_a_host_has_one_normal_form() {
        for (host, spellings) in [
            (
                "127.0.0.1",
                &[
                    "127.0.0.1",
                    "127.0.0.1.",
                    "127.0.0.1..",
                    "127.0.0.1......",
                    "127.1..",
                    "0x7f.1..",
                    "0x7f000001.",
                    "2130706433..",
                    "017700000001..",
                    "0177.0.0.01",
                    "127。0。0。1。。",
                    "127.0.0.1．．",
                    "127.0.0.1｡｡",
                    "①②⑦.0.0.1..",
                    "%31%32%37.0.0.1%2e%2E",
                    "127.0.0.1.%2e",
                    "1\u{ad}27.0.0.1..",
                    "127.0.0.1\u{200b}..",
                    "[::ffff:127.0.0.1]",
                    "[::FFFF:7f00:1]",
                    "[0:0:0:0:0:ffff:7f00:1]",
                ][..],
            ),
            (
                "169.254.169.254",
                &[
                    "169.254.169.254..",
                    "2852039166...",
                    "0xA9FEA9FE..",
                    "169.16689662..",
                    "0251.0376.0251.0376..",
                    "[::ffff:a9fe:a9fe]",
                ],
            ),
            (
                "localhost",
                &[
                    "LOCALHOST..",
                    "localhost.",
                    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ。。",
                    "loc%61lhost%2e",
                ],
            ),
            (
                "xn--bcher-kva.example",
                &[
                    "bücher.example",
                    "BÜCHER.example..",
                    "xn--bcher-kva.example.",
                    "bu\u{308}cher.example",
                ],
            ),
            (
                "[::1]",
                &["[::1]", "[0:0:0:0:0:0:0:1]", "[::0.0.0.1]", "[0::1]"],
            ),
            ("[fe80::1]", &["[FE80:0::1]"]),
        ] {
            for spelling in spellings {
                let url = WebUrl::parse(&format!("http://{spelling}:80/x#y")).expect(spelling);
                assert_eq!(url.host().to_string(), host, "{spelling}");
                assert_eq!(url.as_url().as_str(), format!("http://{host}/x"));
                assert_eq!(&spelling.parse::<WebHost>().unwrap(), url.host());
            }
        }
    }

    #[test]
    fn what_is_no_host_of_the_web_is_refused() {
        for text in [
            "http://",
            "http://./",
            "http://../",
            "http://。/",
            "http://[fe80::1%25eth0]/",
            "http://[fe80::1%eth0]/",
            "http://[::1].../",
            "http://256.0.0.1../",
            "http://1.2.3.4.5../",
            "http://foo.1../",
            "http://127.0.0.1..:99999/",
            "http://a b/",
            "file:///etc/passwd",
            "ftp://127.0.0.1/",
            "127.0.0.1..",
        ] {
            assert!(WebUrl::parse(text).is_err(), "{text}");
        }
    }
}
