use reqwest::Url;
use scorel_http::EndpointAddress;

use crate::error::OAuthError;

/// An address to which secrets may go: by TLS, or on this machine.
pub(crate) fn checked(text: &str) -> Result<Url, OAuthError> {
    let url = Url::parse(text).ok().filter(|url| {
        let is_local = || url.scheme() == "http" && EndpointAddress::of(url).is_local();
        url.scheme() == "https" || is_local()
    });
    url.ok_or_else(|| OAuthError::Refused(format!("{text:?} is not an address of `https`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_by_tls_or_stay_on_the_machine() {
        assert!(checked("https://a.example/token").is_ok());
        assert!(checked("http://127.0.0.1:80/token").is_ok());
        assert!(checked("http://a.example/token").is_err());
        assert!(checked("file:///token").is_err());
    }
}
