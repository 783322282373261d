//! Checks on a URL before anything is resolved.

use std::net::IpAddr;

use url::{Host, Url};

use crate::address::is_public;
use crate::error::FetchError;
use crate::private_host::{PrivateHost, host};

/// A URL that may be fetched, if its host name resolves to an address that may be connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FetchTarget {
    pub(crate) url: Url,
    /// Whether the host is one of the user's [`PrivateHost`]s.
    pub(crate) is_allowed: bool,
}

impl FetchTarget {
    pub(crate) fn parse(text: &str, allowed: &[PrivateHost]) -> Result<Self, FetchError> {
        Self::new(Url::parse(text.trim()).map_err(FetchError::Url)?, allowed)
    }

    pub(crate) fn new(mut url: Url, allowed: &[PrivateHost]) -> Result<Self, FetchError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FetchError::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::Credentials);
        }
        // Never sent to a server.
        url.set_fragment(None);
        let is_allowed = allowed.iter().any(|host| host.covers(&url));
        if is_allowed || may_be_public(&url) {
            Ok(Self { url, is_allowed })
        } else {
            Err(FetchError::NotPublic(self::name(&url)))
        }
    }

    /// The host, for messages.
    pub(crate) fn name(&self) -> String {
        name(&self.url)
    }

    /// Whether a redirect to `next` is followed. Another port of a private host, even for an upgrade to
    /// HTTPS, is another permission.
    pub(crate) fn may_lead_to(&self, next: &Url, allowed: &[PrivateHost]) -> bool {
        let is_permitted = !self.is_allowed || allowed.iter().any(|host| host.covers(next));
        self.has_host_of(next) && is_permitted
    }

    /// Whether a redirect to `other` stays on this host: the same origin, or an upgrade from HTTP to HTTPS
    /// on the default ports.
    fn has_host_of(&self, other: &Url) -> bool {
        let port = |url: &Url| url.port_or_known_default();
        let is_upgrade = (self.url.scheme(), other.scheme()) == ("http", "https")
            && (port(&self.url), port(other)) == (Some(80), Some(443));
        let is_same = self.url.scheme() == other.scheme() && port(&self.url) == port(other);
        host(&self.url) == host(other) && (is_same || is_upgrade)
    }
}

fn name(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

/// Literal addresses are checked here, since the resolver never sees them; so are names of this machine,
/// which a proxy would resolve to itself.
fn may_be_public(url: &Url) -> bool {
    match host(url) {
        Some(Host::Ipv4(address)) => is_public(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_public(IpAddr::V6(address)),
        Some(Host::Domain(name)) => {
            let last = name.rsplit('.').next().unwrap_or_default();
            !name.is_empty() && !matches!(last, "localhost" | "localdomain")
        }
        None => false,
    }
}

/// Whether a URL says of itself that its host is this machine or in a private network. Nothing is
/// resolved: the name of a host that may not be asked for would be told to its name servers.
pub(crate) fn looks_private(url: &Url) -> bool {
    const SUFFIXES: [&str; 5] = ["home.arpa", "internal", "lan", "local", "localdomain"];
    let is_below = |name: &str, suffix: &str| {
        name.strip_suffix(suffix)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    match host(url) {
        Some(Host::Domain(name)) => {
            !may_be_public(url)
                || !name.contains('.')
                || SUFFIXES.iter().any(|suffix| is_below(&name, suffix))
        }
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => !may_be_public(url),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::{FetchTarget, looks_private};
    use crate::error::FetchError;

    fn refused(url: &str) -> FetchError {
        FetchTarget::parse(url, &[]).expect_err(url)
    }

    #[test]
    fn an_address_is_refused_however_it_is_spelled() {
        for url in [
            "http://127.0.0.1/",
            "http://127.0.0.1:8080/x?y",
            "http://127.1/",
            "http://127.0.1/",
            "http://0x7f.1/",
            "http://0x7f000001/",
            "http://2130706433/",
            "http://017700000001/",
            "http://0177.0.0.1/",
            "http://127.0.0.1./",
            "http://0/",
            "http://0.0.0.0/",
            "http://%31%32%37.0.0.1/",
            "http://127。0。0。1/",
            "http://①②⑦.0.0.1/",
            "http:\\\\127.0.0.1\\",
            "http:127.0.0.1/",
            "  http://127.0.0.1/\n",
            "ht\ntp://127.0.\t0.1/",
            "HTTP://127.0.0.1/",
            "https://169.254.169.254/latest/meta-data/",
            "http://2852039166/",
            "http://[::1]/",
            "http://[::]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[0:0:0:0:0:ffff:7f00:1]/",
            "http://[::127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[fd00:ec2::254]/",
            "http://[fe80::1]/",
            "http://10.1/",
            "http://192.168.257/",
            "http://localhost/",
            "http://LOCALHOST/",
            "http://localhost./",
            "http://LocalHost:631/",
            "http://foo.localhost/",
            "http://foo.localhost./",
            "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
            "http://localhost.localdomain/",
        ] {
            let error = refused(url);
            assert!(matches!(error, FetchError::NotPublic(_)), "{url}: {error}");
        }
    }

    #[test]
    fn a_private_host_is_known_by_its_name() {
        let private = |url: &str| looks_private(&Url::parse(url).unwrap());
        for url in [
            "http://localhost:8080/",
            "http://foo.localhost/",
            "http://127.1/",
            "http://[::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://192.168.1.1/",
            "http://198.18.0.1/",
            "http://169.254.169.254/",
            "http://wiki/",
            "http://wiki.lan/",
            "http://printer.local./",
            "http://metadata.google.internal/",
            "http://lan/",
        ] {
            assert!(private(url), "{url}");
        }
        for url in [
            "https://example.com/",
            "http://8.8.8.8/",
            "http://wiki.plan/",
            "http://internal.example.com/",
            "http://[2606:4700:4700::1111]/",
        ] {
            assert!(!private(url), "{url}");
        }
    }

    #[test]
    fn a_user_in_the_url_is_refused() {
        for url in [
            "http://example.com@127.0.0.1/",
            "http://127.0.0.1@example.com/",
            "http://user:password@example.com/",
            "http://:password@example.com/",
            "http://example.com\\@127.0.0.1/".trim_end_matches('x'),
            "http://a%40b@example.com/",
        ] {
            match FetchTarget::parse(url, &[]) {
                Err(FetchError::Credentials) => {}
                // A backslash is a slash: what follows belongs to the path.
                Ok(target) => assert_eq!(target.name(), "example.com", "{url}"),
                Err(error) => panic!("{url}: {error}"),
            }
        }
    }

    #[test]
    fn only_the_web_is_fetched() {
        for url in [
            "file:///etc/passwd",
            "ftp://example.com/",
            "gopher://example.com/",
            "data:text/plain,x",
            "javascript:1",
            "ws://example.com/",
            "unix:/run/docker.sock",
        ] {
            assert!(matches!(refused(url), FetchError::Scheme(_)), "{url}");
        }
        for url in [
            "",
            "example.com",
            "http://",
            "//example.com",
            "http://[::1",
            "http://a b/",
        ] {
            assert!(matches!(refused(url), FetchError::Url(_)), "{url}");
        }
    }

    #[test]
    fn a_public_host_may_be_fetched() {
        for url in [
            "https://example.com/a?b#c",
            "http://8.8.8.8/",
            "http://example.com./",
            "http://localhost.example.com/",
            "http://notlocalhost/",
            "http://[2606:4700:4700::1111]/",
        ] {
            let target = FetchTarget::parse(url, &[]).expect(url);
            assert!(
                !target.is_allowed && target.url.fragment().is_none(),
                "{url}"
            );
        }
    }

    #[test]
    fn what_the_user_allows_may_be_fetched() {
        let allowed = [
            "localhost:8080".parse().unwrap(),
            "10.0.0.7".parse().unwrap(),
        ];
        for url in [
            "http://localhost:8080/x",
            "https://10.0.0.7:4430/",
            "http://10.7/",
        ] {
            assert!(
                FetchTarget::parse(url, &allowed).expect(url).is_allowed,
                "{url}"
            );
        }
        for url in [
            "http://localhost:8081/",
            "http://127.0.0.1:8080/",
            "http://10.0.0.8/",
        ] {
            assert!(FetchTarget::parse(url, &allowed).is_err(), "{url}");
        }
        // Being allowed lets no credentials through.
        assert_eq!(
            FetchTarget::parse("http://u@localhost:8080/", &allowed),
            Err(FetchError::Credentials)
        );
    }

    #[test]
    fn a_permission_for_one_port_does_not_cover_an_upgrade_to_another() {
        let leads = |allowed: &str, to: &str| {
            let allowed = [allowed.parse().unwrap()];
            let from = FetchTarget::parse("http://wiki.lan/", &allowed).unwrap();
            from.may_lead_to(&Url::parse(to).unwrap(), &allowed)
        };
        assert!(leads("wiki.lan:80", "http://wiki.lan/page"));
        assert!(!leads("wiki.lan:80", "https://wiki.lan/"));
        assert!(leads("wiki.lan", "https://wiki.lan/"));
        assert!(
            leads("other.lan", "https://wiki.lan/"),
            "judged by its address"
        );
    }

    #[test]
    fn a_redirect_within_a_host_is_distinguished_from_others() {
        let from = |from: &str, to: &str| {
            let from = FetchTarget::parse(from, &[]).unwrap();
            from.has_host_of(&Url::parse(to).unwrap())
        };
        assert!(from("http://a.com/x", "http://a.com:80/y"));
        assert!(from("http://a.com/x", "https://A.com./y"));
        assert!(from("https://a.com:8443/x", "https://a.com:8443/"));
        assert!(!from("https://a.com/x", "http://a.com/x"));
        assert!(!from("http://a.com/x", "http://a.com:8080/x"));
        assert!(!from("http://a.com:8080/x", "https://a.com/x"));
        assert!(!from("http://a.com/", "http://www.a.com/"));
        assert!(!from("http://a.com/", "ftp://a.com/"));
    }
}
