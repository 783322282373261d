use std::io;

use scorel_engine::BlobSink;
use scorel_journal::Blobs;
use scorel_proto::BlobHash;
use scorel_provider::BlobSource;
use scorel_tool_set::SetBlobs;

/// The session's blobs, for providers that send images and for tools that store output.
#[derive(Debug)]
pub(crate) struct SessionBlobs(pub(crate) Blobs);

impl BlobSource for SessionBlobs {
    fn read(&self, blob: &BlobHash) -> io::Result<Vec<u8>> {
        self.0.get(blob).map(Into::into).map_err(io::Error::other)
    }
}

impl BlobSink for SessionBlobs {
    fn store(&self, content: &[u8]) -> io::Result<BlobHash> {
        self.0.put(content).map_err(io::Error::other)
    }
}

impl SetBlobs for SessionBlobs {
    fn read(&self, blob: &BlobHash) -> io::Result<Vec<u8>> {
        BlobSource::read(self, blob)
    }
}
