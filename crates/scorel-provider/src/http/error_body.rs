use scorel_engine::foreign_json;
use serde_json::Value;

use super::html_page;

/// A provider's error, parsed from any of the formats in use. The message is untrusted and may echo
/// the key: it has to go through [`error_text`](super::error_text) before it is shown.
///
/// Formats seen: `{error:{message,type,code}}` (OpenAI), `{type:"error",error:{…}}` (Anthropic),
/// `{error:{code,message,status,details}}` (Google, sometimes in an array), `{error:"text"}`
/// (Venice, xAI), `{detail:…}` (Mistral), `{message,code,type}`, HTML, and an empty body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    pub(crate) message: String,
    /// The machine-readable strings in lower case: types, codes, Google's statuses, reasons and
    /// quota ids.
    pub(crate) tokens: Vec<String>,
    /// The HTTP status in the body: `code` is a status at some hosts and a name at others.
    pub(crate) status: Option<u16>,
    /// Google's `RetryInfo.retryDelay`, such as `34.4s`.
    pub(crate) retry_delay: Option<String>,
    /// When the limit ends, as a number of seconds from now or since 1970.
    pub(crate) resets: Option<String>,
    /// True if the body was empty.
    pub(crate) is_empty: bool,
}

impl ErrorBody {
    pub(crate) fn with_message(message: String) -> Self {
        Self {
            message,
            ..Self::default()
        }
    }

    /// Parses a body. The content type is ignored: DeepSeek sends JSON errors as
    /// `application/octet-stream`.
    pub(crate) fn parse(body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        match foreign_json::<Value>(text.as_bytes()) {
            Ok(value) => {
                let mut parsed = Self::from_value(&value);
                if parsed.message.is_empty() {
                    text.clone_into(&mut parsed.message);
                }
                parsed
            }
            Err(_) => Self {
                is_empty: text.is_empty(),
                ..Self::with_message(html_page::reduced(text).unwrap_or_else(|| text.to_owned()))
            },
        }
    }

    pub(crate) fn from_value(value: &Value) -> Self {
        // Google's streaming endpoints wrap the object in an array.
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null());
        let inner = error.unwrap_or(value);
        let message = message(inner).or_else(|| message(value));
        // Gateways put the page of the host behind them into a field.
        let reduced = message.as_deref().and_then(html_page::reduced);
        let mut body = Self {
            retry_delay: retry_delay(inner),
            resets: resets(inner),
            ..Self::with_message(reduced.or(message).unwrap_or_default())
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

    /// Numbers in the range of error statuses are statuses, also as strings; other strings are
    /// tokens.
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
        .find_map(|field| message_text(&value[*field]))?;
    // OpenRouter says only "Provider returned error" itself; the upstream's message is in `raw`.
    let raw = message_text(&value["metadata"]["raw"]);
    Some(match raw {
        Some(raw) => format!("{detail}: {raw}"),
        None => detail,
    })
}

fn message_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Array(_) | Value::Object(_) => Some(value.to_string()),
        _ => None,
    }
}

/// OpenAI's limits of subscriptions, and gateways that pass them on.
fn resets(error: &Value) -> Option<String> {
    let fields = ["resets_in_seconds", "resets_at"];
    let number = fields
        .iter()
        .map(|field| &error[*field])
        .find(|value| value.is_number());
    number.map(Value::to_string)
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
