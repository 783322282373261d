use reqwest::header::{HeaderMap, WWW_AUTHENTICATE};

/// A server's demand for a token: `WWW-Authenticate: Bearer`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Challenge {
    /// The address of the description of the resource.
    pub(crate) resource_metadata: Option<String>,
    /// Separated by blanks.
    pub(crate) scope: Option<String>,
    error: Option<String>,
}

impl Challenge {
    /// That of a response; empty without one.
    pub fn of(headers: &HeaderMap) -> Self {
        let texts = headers.get_all(WWW_AUTHENTICATE).iter();
        let mut texts = texts.filter_map(|it| it.to_str().ok());
        let is_bearer = |text: &&str| {
            let begin = text.get(..6);
            begin.is_some_and(|it| it.eq_ignore_ascii_case("bearer"))
        };
        texts.find(is_bearer).map(Self::parse).unwrap_or_default()
    }

    /// Returns whether a token is good, and has too few rights.
    pub fn wants_more(&self) -> bool {
        self.error.as_deref() == Some("insufficient_scope")
    }

    fn parse(text: &str) -> Self {
        Self {
            resource_metadata: parameter(text, "resource_metadata"),
            scope: parameter(text, "scope"),
            error: parameter(text, "error"),
        }
    }
}

/// The value of a parameter, quoted or not.
fn parameter(text: &str, name: &str) -> Option<String> {
    let parameters = text.get(6..)?;
    let at = parameters.match_indices(name).find(|(at, _)| {
        let before = parameters[..*at].chars().next_back();
        before.is_none_or(|it| it == ' ' || it == ',')
            && parameters[at + name.len()..].starts_with('=')
    });
    let value = &parameters[at?.0 + name.len() + 1..];
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split([',', ' ']).next(),
    };
    value.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_quoted_or_not() {
        let text = "Bearer error=\"insufficient_scope\", scope=\"a b\", resource_metadata=\"https://x/y\", realm=z";
        let challenge = Challenge::parse(text);
        assert!(challenge.wants_more());
        assert_eq!(challenge.scope.as_deref(), Some("a b"));
        assert_eq!(challenge.resource_metadata.as_deref(), Some("https://x/y"));
        assert_eq!(parameter(text, "realm").as_deref(), Some("z"));
        assert_eq!(parameter("Bearer x_scope=\"a\"", "scope"), None);
    }
}
