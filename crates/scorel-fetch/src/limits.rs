use std::time::Duration;

/// The longest URL, in bytes: what common servers accept.
pub(crate) const MAX_URL: usize = 8 << 10;
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// Of connecting, for each address.
    pub connect: Duration,
    /// Of the whole fetch, with redirects and the conversion to text.
    pub total: Duration,
    /// Of the body, in bytes after decompression; the rest is not read.
    pub body: usize,
    /// The number of redirects that are followed before it is an error.
    pub redirects: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(30),
            body: 5 << 20,
            redirects: 5,
        }
    }
}
