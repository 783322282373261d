use std::io;

/// The reason why a bundle is refused.
#[derive(Debug, thiserror::Error)]
pub enum BundleProblem {
    #[error("the bundle is damaged: {0}")]
    Damaged(String),
    #[error("the bundle has format {0} of a newer version")]
    Newer(u32),
    #[error("the bundle unpacks to more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    #[error("the bundle has more than {limit} entries")]
    TooMany { limit: u64 },
    /// The unpacked files cannot be written.
    #[error("the bundle cannot be unpacked: {0}")]
    Write(#[source] io::Error),
}

impl BundleProblem {
    /// Reading an archive fails because it is not one, or is cut off.
    pub(super) fn read(error: &io::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}
