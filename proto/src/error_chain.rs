//! An error and its causes on one line.

use std::error::Error;
use std::fmt;

/// Displays an error followed by its [sources](Error::source), separated by `": "`.
///
/// A source whose text the line already ends with is left out: many error types end their own
/// message with that of their source.
///
/// ```
/// use scorel_proto::ErrorChain;
///
/// let error = std::io::Error::other("disk full");
/// assert_eq!(ErrorChain(&error).to_string(), "disk full");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ErrorChain<'a>(pub &'a (dyn Error + 'a));

impl fmt::Display for ErrorChain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = self.0.to_string();
        let mut source = self.0.source();
        while let Some(cause) = source {
            let text = cause.to_string();
            if !line.ends_with(&text) {
                line.push_str(": ");
                line.push_str(&text);
            }
            source = cause.source();
        }
        f.write_str(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Link(&'static str, Option<Box<Link>>);

    impl fmt::Display for Link {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Link {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|link| link as _)
        }
    }

    fn line(texts: &[&'static str]) -> String {
        let links = texts.iter().rev();
        let error = links.fold(None, |source, text| Some(Box::new(Link(text, source))));
        ErrorChain(&*error.unwrap()).to_string()
    }

    #[test]
    fn causes_follow_in_order() {
        assert_eq!(
            line(&["cannot load", "cannot open", "denied"]),
            "cannot load: cannot open: denied"
        );
    }

    #[test]
    fn a_cause_that_is_already_in_the_text_is_not_repeated() {
        assert_eq!(line(&["a: b: c", "b: c", "c"]), "a: b: c");
        assert_eq!(line(&["a: b", "b", "c"]), "a: b: c");
        assert_eq!(line(&["disk", "no disk", "disk"]), "disk: no disk");
        assert_eq!(line(&["a", "", "b"]), "a: b");
    }

    #[test]
    fn a_text_in_the_middle_of_the_line_does_not_hide_a_cause() {
        assert_eq!(
            line(&["timed out after 5 s", "timed out"]),
            "timed out after 5 s: timed out"
        );
    }
}
