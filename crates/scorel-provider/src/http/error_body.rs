use serde_json::Value;

/// What an endpoint says about a failure, in any of the forms that endpoints use. Not yet fit to be
/// shown: see [`error_text`](super::error_text).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    /// The explanation; empty if there is none.
    pub(crate) message: String,
    /// `type`, `code` and `status`, and what the details name as reasons and exhausted quotas, as far
    /// as they are texts, in lower case.
    pub(crate) tokens: Vec<String>,
    /// The HTTP status that the body names.
    pub(crate) status: Option<u16>,
    /// How long to wait, as the body's details say it, such as `34.4s`.
    pub(crate) retry_delay: Option<String>,
    /// Whether the body was empty.
    pub(crate) is_empty: bool,
}

impl ErrorBody {
    /// Reads a body whatever its content type says.
    pub(crate) fn parse(body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        match serde_json::from_str::<Value>(text) {
            Ok(value) => {
                let mut parsed = Self::from_value(&value);
                if parsed.message.is_empty() {
                    text.clone_into(&mut parsed.message);
                }
                parsed
            }
            Err(_) => Self {
                message: text.to_owned(),
                is_empty: text.is_empty(),
                ..Self::default()
            },
        }
    }

    /// Reads a JSON value that stands for a failure.
    pub(crate) fn from_value(value: &Value) -> Self {
        // Google's streaming endpoints wrap the object in an array.
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null());
        let inner = error.unwrap_or(value);
        let mut body = Self {
            message: message(inner)
                .or_else(|| message(value))
                .unwrap_or_default(),
            retry_delay: retry_delay(inner),
            ..Self::default()
        };
        for field in ["type", "code", "status", "status_code", "error_type"] {
            body.token(&inner[field]);
        }
        if error.is_some() {
            body.token(&value["code"]);
        }
        for detail in inner["details"].as_array().into_iter().flatten() {
            body.token(&detail["reason"]);
            for violation in detail["violations"].as_array().into_iter().flatten() {
                body.token(&violation["quotaId"]);
            }
        }
        body
    }

    fn token(&mut self, value: &Value) {
        let number = value
            .as_u64()
            .or_else(|| value.as_str().and_then(|text| text.parse().ok()));
        let status = number.and_then(|number| u16::try_from(number).ok());
        if let Some(status) = status.filter(|status| (400..600).contains(status)) {
            self.status.get_or_insert(status);
        } else if let Some(text) = value.as_str() {
            self.tokens.push(text.to_ascii_lowercase());
        }
    }

    pub(crate) fn has_token(&self, names: &[&str]) -> bool {
        self.tokens.iter().any(|token| names.contains(&&**token))
    }
}

fn message(value: &Value) -> Option<String> {
    if let Some(text) = value.as_str() {
        return Some(text.to_owned());
    }
    let detail = ["message", "detail", "msg"]
        .iter()
        .find_map(|field| text_of(&value[*field]))?;
    // Routers put the words of the model's host beside their own.
    let raw = text_of(&value["metadata"]["raw"]);
    Some(match raw {
        Some(raw) => format!("{detail}: {raw}"),
        None => detail,
    })
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Array(_) | Value::Object(_) => Some(value.to_string()),
        _ => None,
    }
}

fn retry_delay(error: &Value) -> Option<String> {
    let details = error["details"].as_array()?;
    let delay = details
        .iter()
        .find_map(|detail| detail["retryDelay"].as_str());
    delay.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::ErrorBody;

    #[test]
    fn every_known_form_gives_its_message() {
        for body in [
            r#"{"error":{"message":"no"}}"#,
            r#"{"error":"no"}"#,
            r#"{"detail":"no"}"#,
            r#"{"message":"no","code":"x"}"#,
            r#"[{"error":{"message":"no"}}]"#,
            "no",
        ] {
            assert_eq!(ErrorBody::parse(body.as_bytes()).message, "no", "{body}");
        }
    }

    #[test]
    fn the_words_of_the_host_behind_a_router_are_added() {
        let body = r#"{"error":{"message":"failed","code":429,"metadata":{"raw":"too fast"}}}"#;
        let body = ErrorBody::parse(body.as_bytes());
        assert_eq!(body.message, "failed: too fast");
        assert_eq!(body.status, Some(429));
    }
}
