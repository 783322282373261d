use std::fmt;
use std::io;

use scorel_proto::BlobHash;

/// Supplies the images of a conversation, which are stored outside its log.
pub trait BlobSource: fmt::Debug + Send + Sync {
    /// Reads a whole blob. Called on a blocking thread.
    ///
    /// # Errors
    /// The blob is missing or unreadable.
    fn read(&self, blob: &BlobHash) -> io::Result<Vec<u8>>;
}

/// A source without blobs, for conversations without images.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBlobs;

impl BlobSource for NoBlobs {
    fn read(&self, _blob: &BlobHash) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// Returns the same bytes for every blob.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct OneBlob;

#[cfg(test)]
impl BlobSource for OneBlob {
    fn read(&self, _blob: &BlobHash) -> io::Result<Vec<u8>> {
        Ok(b"png".to_vec())
    }
}
