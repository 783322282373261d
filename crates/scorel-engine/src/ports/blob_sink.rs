use std::fmt;
use std::io;

use scorel_proto::BlobHash;

/// Stores large content beside a session's log: pictures for the model, output that is too long for a
/// result.
pub trait BlobSink: fmt::Debug + Send + Sync {
    /// Stores `content` durably and returns its name. May block.
    ///
    /// # Errors
    /// The content cannot be stored.
    fn store(&self, content: &[u8]) -> io::Result<BlobHash>;
}
