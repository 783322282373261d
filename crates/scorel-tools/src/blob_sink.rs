//! Where pictures go.

use std::fmt;
use std::io;

use scorel_proto::BlobHash;

/// Keeps large content of a session, such as pictures that a tool shows to the model.
pub trait BlobSink: fmt::Debug + Send + Sync {
    /// Stores `content` durably and returns its name. May block.
    ///
    /// # Errors
    /// The content cannot be stored.
    fn store(&self, content: &[u8]) -> io::Result<BlobHash>;
}
