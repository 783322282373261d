use std::collections::HashMap;

use scorel_proto::{BlobHash, PersistentBody};

use crate::finding::ByteRange;

/// The blobs that a log references, each with the first record that does.
pub(crate) type References = HashMap<BlobHash, ByteRange>;

/// Adds the blobs that an event references.
pub(crate) fn add_references(body: &PersistentBody, span: ByteRange, references: &mut References) {
    body.visit_blobs(&mut |hash| {
        references.entry(hash.clone()).or_insert(span);
    });
}
