use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, HeaderMap,
    HeaderName, HeaderValue, PROXY_AUTHORIZATION, TRANSFER_ENCODING,
};

use crate::{ModelConfig, Secret, SetupError};

/// The headers that the configuration adds, and where it wants the key.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConfiguredHeaders {
    /// Replaces the wire's header for the key.
    key: Option<HeaderName>,
    fixed: HeaderMap,
}

impl ConfiguredHeaders {
    pub(crate) fn new(config: &ModelConfig) -> Result<Self, SetupError> {
        let key = config.key_header.as_deref().map(header_name).transpose()?;
        let mut fixed = HeaderMap::new();
        for (name, value) in &config.headers {
            let parsed = header_name(name)?;
            // Keys come from the secret store: a configuration is shared and logged.
            if holds_credentials(&parsed) || Some(&parsed) == key.as_ref() {
                return Err(invalid(
                    name,
                    "credentials do not belong in the configuration",
                ));
            }
            if is_set_per_request(&parsed) {
                return Err(invalid(name, "it is set for each request"));
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
        key_header: Option<HeaderName>,
        key: Option<&Secret>,
    ) -> Result<HeaderMap, &'static str> {
        headers.extend(self.fixed.clone());
        if let Some(key) = key {
            let name = self.key.clone().or(key_header).unwrap_or(AUTHORIZATION);
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

fn header_name(name: &str) -> Result<HeaderName, SetupError> {
    HeaderName::try_from(name).map_err(|_| invalid(name, "it is not a valid header name"))
}

fn invalid(name: &str, reason: &'static str) -> SetupError {
    SetupError::InvalidHeader {
        name: name.to_owned(),
        reason,
    }
}

fn holds_credentials(name: &HeaderName) -> bool {
    [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE].contains(name)
        || ["api-key", "x-api-key", "x-goog-api-key"].contains(&name.as_str())
}

fn is_set_per_request(name: &HeaderName) -> bool {
    [
        ACCEPT,
        CONNECTION,
        CONTENT_LENGTH,
        CONTENT_TYPE,
        HOST,
        TRANSFER_ENCODING,
    ]
    .contains(name)
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::ConfiguredHeaders;
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
        let own = Some("x-goog-api-key".parse().unwrap());
        let headers = configured
            .complete(HeaderMap::new(), own, Some(&key))
            .unwrap();
        assert_eq!(headers["x-goog-api-key"], "sk-1");
    }

    #[test]
    fn credentials_and_transport_headers_cannot_be_configured() {
        for name in [
            "Authorization",
            "X-Api-Key",
            "cookie",
            "Host",
            "content-length",
            "a b",
        ] {
            let refused = ConfiguredHeaders::new(&config(&[(name, "sk-canary")], None));
            assert!(
                !refused.unwrap_err().to_string().contains("canary"),
                "{name}"
            );
        }
        let own = config(&[("x-lab-key", "sk-canary")], Some("x-lab-key"));
        assert!(ConfiguredHeaders::new(&own).is_err());
    }
}
