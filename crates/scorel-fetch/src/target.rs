//! Checks on a URL before anything is resolved.

use std::net::IpAddr;

use scorel_permission::WebUrl;
use url::{Host, Url};

use crate::address::is_public;
use crate::error::FetchError;
use crate::limits::MAX_URL;
use crate::private_host::PrivateHost;

/// A URL that may be fetched, if its host name resolves to an address that may be connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FetchTarget {
    pub(crate) url: WebUrl,
    /// True if the host is one of the user's [`PrivateHost`]s.
    pub(crate) is_allowed: bool,
}

impl FetchTarget {
    pub(crate) fn parse(text: &str, allowed: &[PrivateHost]) -> Result<Self, FetchError> {
        Self::new(without_user(WebUrl::parse(text)?)?, allowed)
    }

    pub(crate) fn new(url: WebUrl, allowed: &[PrivateHost]) -> Result<Self, FetchError> {
        let is_allowed = allowed.iter().any(|host| host.covers(&url));
        if is_allowed || may_be_public(&url) {
            Ok(Self { url, is_allowed })
        } else {
            Err(FetchError::NotPublic(url.host().to_string()))
        }
    }

    /// The host, for messages.
    pub(crate) fn name(&self) -> String {
        self.url.host().to_string()
    }

    /// Returns whether a redirect to `next` is followed. Another port of a private host, even for an upgrade to
    /// HTTPS, is another permission.
    pub(crate) fn may_lead_to(&self, next: &WebUrl, allowed: &[PrivateHost]) -> bool {
        let is_permitted = !self.is_allowed || allowed.iter().any(|host| host.covers(next));
        self.has_host_of(next) && is_permitted
    }

    /// Returns whether a redirect to `other` stays on this host: the same origin, or an upgrade from HTTP to
    /// HTTPS on the default ports.
    fn has_host_of(&self, other: &WebUrl) -> bool {
        let schemes = (self.url.as_url().scheme(), other.as_url().scheme());
        let ports = (self.url.port(), other.port());
        let is_upgrade = schemes == ("http", "https") && ports == (Some(80), Some(443));
        let is_same = schemes.0 == schemes.1 && ports.0 == ports.1;
        self.url.host() == other.host() && (is_same || is_upgrade)
    }
}

/// The address that a redirect leads to, if it could be fetched.
pub(crate) fn redirected(url: Url) -> Result<WebUrl, FetchError> {
    let url = WebUrl::new(url).map_err(FetchError::from);
    let next = url
        .and_then(without_user)
        .map_err(|error| error.to_string());
    match next {
        Ok(next) if next.as_url().as_str().len() <= MAX_URL => Ok(next),
        Ok(_) => Err(format!("it is longer than {MAX_URL} bytes")),
        Err(reason) => Err(reason),
    }
    .map_err(FetchError::BadRedirect)
}

fn without_user(url: WebUrl) -> Result<WebUrl, FetchError> {
    let (user, password) = (url.as_url().username(), url.as_url().password());
    if user.is_empty() && password.is_none() {
        Ok(url)
    } else {
        Err(FetchError::Credentials)
    }
}

/// Literal addresses are checked here, since the resolver never sees them; so are names of this machine,
/// which a proxy would resolve to itself.
fn may_be_public(url: &WebUrl) -> bool {
    match url.host().as_host() {
        Host::Ipv4(address) => is_public(IpAddr::V4(*address)),
        Host::Ipv6(address) => is_public(IpAddr::V6(*address)),
        Host::Domain(name) => {
            let last = name.rsplit('.').next().unwrap_or_default();
            !matches!(last, "localhost" | "localdomain")
        }
    }
}

/// Returns whether a URL says of itself that its host is this machine or in a private network. Nothing is
/// resolved: the name of a host that may not be asked for would be told to its name servers.
pub(crate) fn looks_private(url: &WebUrl) -> bool {
    const SUFFIXES: [&str; 5] = ["home.arpa", "internal", "lan", "local", "localdomain"];
    let is_below = |name: &str, suffix: &str| {
        name.strip_suffix(suffix)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    match url.host().as_host() {
        Host::Domain(name) => {
            !may_be_public(url)
                || !name.contains('.')
                || SUFFIXES.iter().any(|suffix| is_below(name, suffix))
        }
        Host::Ipv4(_) | Host::Ipv6(_) => !may_be_public(url),
    }
}

#[cfg(test)]
mod tests {
    use scorel_permission::{WebUrl, WebUrlError};

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
            "http://127.0.0.1../",
            "http://169.254.169.254../",
            "http://0x7f.1。。/",
            "http://localhost../",
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
        let private = |url: &str| looks_private(&WebUrl::parse(url).unwrap());
        for url in [
            "http://localhost:8080/",
            "http://foo.localhost/",
            "http://127.1/",
            "http://127.0.0.1../",
            "http://169.254.169.254../",
            "http://wiki../",
            "http://wiki.lan../",
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
            assert!(
                matches!(refused(url), FetchError::Url(WebUrlError::Scheme(_))),
                "{url}"
            );
        }
        for url in [
            "",
            "example.com",
            "http://",
            "//example.com",
            "http://[::1",
            "http://a b/",
        ] {
            assert!(
                matches!(refused(url), FetchError::Url(WebUrlError::Invalid(_))),
                "{url}"
            );
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
            assert!(!target.is_allowed, "{url}");
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
            from.may_lead_to(&WebUrl::parse(to).unwrap(), &allowed)
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
            from.has_host_of(&WebUrl::parse(to).unwrap())
        };
        assert!(from("http://a.com/x", "http://a.com:80/y"));
        assert!(from("http://a.com/x", "https://A.com./y"));
        assert!(from("https://a.com:8443/x", "https://a.com:8443/"));
        assert!(!from("https://a.com/x", "http://a.com/x"));
        assert!(!from("http://a.com/x", "http://a.com:8080/x"));
        assert!(!from("http://a.com:8080/x", "https://a.com/x"));
        assert!(!from("http://a.com/", "http://www.a.com/"));
    }
}
