use reqwest::header::{
    AUTHORIZATION, COOKIE, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHORIZATION,
};

use crate::{ModelConfig, Secret, SetupError};

/// Headers that the client sets, or that frame a request or belong to its connection.
const OF_REQUESTS: [&str; 15] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The longest name of a header and the longest value, in bytes. Servers refuse longer headers, and a name
/// of 64 KiB is none.
const MAX_HEADER: usize = 8 << 10;

/// The part of a name that is repeated in an error, in characters.
const SHOWN_NAME: usize = 100;

/// The headers that the configuration adds, and where it wants the key.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConfiguredHeaders {
    /// Replaces the wire's header for the key.
    key: Option<HeaderName>,
    fixed: HeaderMap,
}

impl ConfiguredHeaders {
    pub(crate) fn new(config: &ModelConfig) -> Result<Self, SetupError> {
        let key = config.key_header.as_deref().map(own_header).transpose()?;
        let mut fixed = HeaderMap::new();
        for (name, value) in &config.headers {
            let parsed = own_header(name)?;
            // Keys come from the secret store: a configuration is shared and logged.
            if holds_credentials(&parsed) || Some(&parsed) == key.as_ref() {
                return Err(invalid(
                    name,
                    "credentials do not belong in the configuration",
                ));
            }
            if value.len() > MAX_HEADER {
                return Err(invalid(name, "its value is longer than 8 KiB"));
            }
            let value = HeaderValue::try_from(value.as_str());
            let value = value.map_err(|_| invalid(name, "its value has control characters"))?;
            fixed.insert(parsed, value);
        }
        Ok(Self { key, fixed })
    }

    /// All headers of a request: the wire's, the configured ones, and the key. `key_header` is the
    /// wire's header for the bare key; `None` means a bearer token.
    ///
    /// # Errors
    /// The key cannot be sent in a header.
    pub(crate) fn complete(
        &self,
        mut headers: HeaderMap,
        key_header: Option<&'static str>,
        key: Option<&Secret>,
    ) -> Result<HeaderMap, &'static str> {
        headers.extend(self.fixed.clone());
        if let Some(key) = key {
            let usual = key_header.map_or(AUTHORIZATION, HeaderName::from_static);
            let name = self.key.clone().unwrap_or(usual);
            headers.insert(name.clone(), key_value(&name, key)?);
        }
        Ok(headers)
    }
}

fn key_value(name: &HeaderName, key: &Secret) -> Result<HeaderValue, &'static str> {
    let value = if *name == AUTHORIZATION {
        HeaderValue::try_from(format!("Bearer {}", key.expose()))
    } else {
        HeaderValue::try_from(key.expose())
    };
    let mut value = value.map_err(|_| "the key has characters that are not allowed in a header")?;
    // Keeps the value out of `Debug` output and of HTTP/2 header compression.
    value.set_sensitive(true);
    Ok(value)
}

/// A header that the configuration may name.
fn own_header(name: &str) -> Result<HeaderName, SetupError> {
    if name.len() > MAX_HEADER {
        return Err(invalid(name, "its name is longer than 8 KiB"));
    }
    let parsed = HeaderName::try_from(name);
    let parsed = parsed.map_err(|_| invalid(name, "it is not a valid header name"))?;
    if OF_REQUESTS.contains(&parsed.as_str()) {
        return Err(invalid(name, "it is set for each request"));
    }
    Ok(parsed)
}

fn invalid(name: &str, reason: &'static str) -> SetupError {
    SetupError::InvalidHeader {
        name: name.chars().take(SHOWN_NAME).collect(),
        reason,
    }
}

fn holds_credentials(name: &HeaderName) -> bool {
    [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE].contains(name)
        || ["api-key", "x-api-key", "x-goog-api-key"].contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::{ConfiguredHeaders, MAX_HEADER};
    use crate::{ModelConfig, Secret};

    fn config(headers: &[(&str, &str)], key_header: Option<&str>) -> ModelConfig {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        ModelConfig {
            headers: headers.iter().map(pair).collect(),
            key_header: key_header.map(str::to_owned),
            ..ModelConfig::demo()
        }
    }

    #[test]
    fn a_key_goes_into_the_header_that_is_configured() {
        let config = config(&[("Editor-Version", "scorel/1")], Some("api-key"));
        let configured = ConfiguredHeaders::new(&config).unwrap();
        let key = Secret::new("sk-1");
        let headers = configured
            .complete(HeaderMap::new(), None, Some(&key))
            .unwrap();
        assert_eq!(headers["api-key"], "sk-1");
        assert_eq!(headers["editor-version"], "scorel/1");
        assert!(!headers.contains_key("authorization"));
        assert!(!format!("{headers:?}").contains("sk-1"));
    }

    #[test]
    fn a_key_is_a_bearer_token_by_default() {
        let configured = ConfiguredHeaders::default();
        let key = Secret::new("sk-1");
        let headers = configured
            .complete(HeaderMap::new(), None, Some(&key))
            .unwrap();
        assert_eq!(headers["authorization"], "Bearer sk-1");
        let own = Some("x-goog-api-key");
        let headers = configured
            .complete(HeaderMap::new(), own, Some(&key))
            .unwrap();
        assert_eq!(headers["x-goog-api-key"], "sk-1");
    }

    #[test]
    fn headers_that_fail_each_request_cannot_be_configured() {
        for name in [
            "Authorization",
            "PROXY-AUTHORIZATION",
            "X-Api-Key",
            "api-key",
            "X-Goog-Api-Key",
            "cookie",
            "Host",
            "content-length",
            "Content-Type",
            "Content-Encoding",
            "Transfer-Encoding",
            "Connection",
            "Keep-Alive",
            "Proxy-Connection",
            "Upgrade",
            "TE",
            "Trailer",
            "Expect",
            "HTTP2-Settings",
            "Accept",
            "Accept-Encoding",
            "",
            "a b",
            "a:",
            ":authority",
            "a\r\nb",
            "a\nb",
            "a\0",
            "é",
            "a\tb",
            "(a)",
        ] {
            let refused = ConfiguredHeaders::new(&config(&[(name, "sk-canary")], None));
            assert!(
                !refused.expect_err(name).to_string().contains("canary"),
                "{name}"
            );
        }
        for value in [
            "a\r\nX-Evil: 1",
            "a\nb",
            "a\rb",
            "\n",
            "a\0b",
            "a\u{7f}",
            "\u{1b}[2J",
        ] {
            let refused = ConfiguredHeaders::new(&config(&[("x-team", value)], None));
            assert!(refused.is_err(), "{value:?}");
        }
        for key in [
            "Host",
            "Content-Length",
            "Connection",
            "x\r\ny",
            "x\n",
            "a b",
            "",
        ] {
            let refused = ConfiguredHeaders::new(&config(&[], Some(key)));
            assert!(refused.is_err(), "{key:?}");
        }
        let own = config(&[("x-lab-key", "sk-canary")], Some("x-lab-key"));
        assert!(ConfiguredHeaders::new(&own).is_err());
    }

    #[test]
    fn headers_that_no_request_can_have_are_refused() {
        let of = |length: usize| "x".repeat(length);
        let (most, over) = (of(MAX_HEADER), of(MAX_HEADER + 1));
        assert!(ConfiguredHeaders::new(&config(&[(&most, &most)], Some(&most))).is_err());
        assert!(ConfiguredHeaders::new(&config(&[(&most, &most)], None)).is_ok());
        for (config, reason) in [
            (config(&[("x-lab", &over)], None), "its value is longer"),
            (config(&[(&over, "1")], None), "its name is longer"),
            (config(&[], Some(&over)), "its name is longer"),
        ] {
            let error = ConfiguredHeaders::new(&config).unwrap_err().to_string();
            assert!(error.contains(reason) && error.len() < 200, "{error}");
        }
    }

    #[test]
    fn ordinary_headers_can_be_configured() {
        for (name, value) in [
            ("HTTP-Referer", "https://example.org"),
            ("X-Title", "Büro\tOst"),
            ("x-empty", ""),
            ("User-Agent", "lab/1"),
            ("anthropic-beta", "a,b"),
        ] {
            assert!(
                ConfiguredHeaders::new(&config(&[(name, value)], Some("Authorization"))).is_ok()
            );
        }
    }
}
