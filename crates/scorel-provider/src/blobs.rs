use std::fmt;
use std::io;

use scorel_proto::BlobHash;

/// Where the pictures of a conversation are read from.
pub trait BlobSource: fmt::Debug + Send + Sync {
    /// Reads a whole blob. Called on a thread that may block.
    ///
    /// # Errors
    /// When there is no such blob or it cannot be read.
    fn read(&self, blob: &BlobHash) -> io::Result<Vec<u8>>;
}

/// A source without any blob, for conversations of text.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBlobs;

impl BlobSource for NoBlobs {
    fn read(&self, _blob: &BlobHash) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}
