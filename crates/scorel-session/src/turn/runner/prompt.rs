//! What a runner is told, as the parts that it takes.

use std::io;

use scorel_journal::Blobs;
use scorel_proto::Block;
use scorel_runtime::RunnerInput;

use crate::{SessionError, blocking};

/// The content of a message for a runner. Reads images from the disk.
pub(super) async fn input(
    content: &[Block],
    blobs: &Blobs,
) -> Result<Vec<RunnerInput>, SessionError> {
    let (content, blobs) = (content.to_vec(), blobs.clone());
    blocking(move || content.iter().map(|block| part(block, &blobs)).collect()).await
}

fn part(block: &Block, blobs: &Blobs) -> RunnerInput {
    match block {
        Block::Image { blob, media_type } => match blobs.get(blob) {
            Ok(bytes) => RunnerInput::Image {
                media_type: media_type.clone(),
                bytes: bytes.into(),
            },
            Err(error) => RunnerInput::Text(missing(&io::Error::other(error))),
        },
        other => RunnerInput::Text(other.plain_text()),
    }
}

fn missing(error: &io::Error) -> String {
    format!("[an image that cannot be read: {error}]")
}
