use serde::Deserialize;

/// The name of an environment variable that holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct SecretName(String);

/// Not the name of an environment variable. The text is not shown: it may be the key itself, put into
/// the wrong place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not the name of an environment variable (letters, digits and `_`); put the key itself into the `env` file of the home"
)]
pub struct InvalidSecretName;

impl SecretName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SecretName {
    type Error = InvalidSecretName;

    fn try_from(text: String) -> Result<Self, InvalidSecretName> {
        if is_name(&text) {
            Ok(Self(text))
        } else {
            Err(InvalidSecretName)
        }
    }
}

pub(super) fn is_name(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(letter) && text.chars().all(|c| letter(c) || c.is_ascii_digit())
}
