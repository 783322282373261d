use std::fmt;

use zeroize::Zeroizing;

/// A credential. It is never printed, and its memory is zeroed on drop.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a credential and trims the white space that files and shells leave around it.
    pub fn new(text: impl Into<String>) -> Self {
        let text = Zeroizing::new(text.into());
        Self(Zeroizing::new(text.trim().to_owned()))
    }

    /// Returns whether the credential is the empty string.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// The text with every occurrence of the credential replaced.
    pub(crate) fn redact(&self, text: &str) -> String {
        // `replace` would insert the placeholder between all characters.
        if self.is_empty() {
            return text.to_owned();
        }
        text.replace(self.expose(), "[redacted]")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_does_not_show_in_debug_output() {
        assert_eq!(format!("{:?}", Secret::new(" sk-123\n")), "Secret(..)");
    }

    #[test]
    fn an_empty_secret_redacts_nothing() {
        assert_eq!(Secret::new(" ").redact("text"), "text");
        assert_eq!(
            Secret::new("sk-1").redact("key sk-1 is bad"),
            "key [redacted] is bad"
        );
    }
}
