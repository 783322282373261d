/// The answer to a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// A page; its status may be that of a failure.
    Page(WebPage),
    /// A redirect to another host, which was not followed.
    Elsewhere {
        /// The HTTP status of the redirect.
        status: u16,
        /// The URL that redirects.
        from: String,
        /// The URL that it redirects to.
        to: String,
    },
}
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPage {
    /// The URL after all redirects that were followed.
    pub url: String,
    pub status: u16,
    /// The essence of the `Content-Type`, such as `text/html`; empty if the server sent none.
    pub media_type: String,
    /// The number of bytes of the body that were read, decompressed.
    pub bytes: u64,
    /// True if the body was longer than the limit and only its beginning was read.
    pub is_cut: bool,
    /// The page as text; Markdown where it was HTML.
    pub text: String,
}
