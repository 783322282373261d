use std::time::Duration;

/// The time to wait for a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, including TLS.
    pub connect: Duration,
    /// From the request to the response's headers.
    pub first_byte: Duration,
    /// Between two reads of the body. Any byte counts, also a keep-alive comment.
    pub idle: Duration,
    /// For the rest of a reply after its stop reason, such as the usage.
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
