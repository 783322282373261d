use std::fmt;

/// A page in the place of a reply: the address is wrong, which a user cannot tell from a reply that has
/// no events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WebPage {
    pub(super) content_type: String,
    /// Its title and first sentence.
    pub(super) summary: String,
}

impl fmt::Display for WebPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            content_type,
            summary,
        } = self;
        write!(
            f,
            "the answer is not an event stream but a web page ({content_type}): {summary}"
        )
    }
}

impl WebPage {
    pub(super) const HINT: &str = "check `baseUrl`: it has to be the address of the API, which often \
        ends in /v1, and not that of a web site";
}
