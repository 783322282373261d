use std::time::Duration;

/// How long to wait for an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, TLS included.
    pub connect: Duration,
    /// For the first byte of a response, after the request was sent.
    pub first_byte: Duration,
    /// For further bytes of a response; any byte counts, also a comment that keeps the
    /// connection alive.
    pub idle: Duration,
    /// For the rest of a response whose end has been announced, such as its usage.
    pub settle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(120),
            settle: Duration::from_secs(5),
        }
    }
}
