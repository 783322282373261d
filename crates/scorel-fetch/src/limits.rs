use std::time::Duration;

/// What one fetch may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// How long connecting may take.
    pub connect: Duration,
    /// How long all of it may take, redirects and the reduction to text among it.
    pub total: Duration,
    /// How many bytes of a page are read, decompressed.
    pub body: usize,
    /// How many redirects are followed.
    pub redirects: usize,
}

impl Default for FetchLimits {
    /// 10 s to connect, 30 s in all, 5 MiB and 5 redirects.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(30),
            body: 5 << 20,
            redirects: 5,
        }
    }
}
