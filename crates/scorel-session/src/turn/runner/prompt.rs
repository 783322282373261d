//! What a runner is told, as the parts that it takes.

use scorel_engine::RunnerInput;
use scorel_journal::Blobs;
use scorel_proto::Block;

use crate::{SessionError, blocking};

/// The content of a message for a runner. Reads images from the disk.
pub(super) async fn input(
    content: &[Block],
    blobs: &Blobs,
) -> Result<Vec<RunnerInput>, SessionError> {
    let (content, blobs) = (content.to_vec(), blobs.clone());
    blocking(move || {
        let parts = content.iter().flat_map(|block| parts(block, &blobs));
        parts.collect()
    })
    .await
}

/// A block, and after an attached file its pictures.
fn parts(block: &Block, blobs: &Blobs) -> Vec<RunnerInput> {
    let Block::Attachment(file) = block else {
        return vec![part(block, blobs)];
    };
    let text = RunnerInput::Text(file.tagged_text());
    let pictures = file.images().map(|image| part(image, blobs));
    std::iter::once(text).chain(pictures).collect()
}

fn part(block: &Block, blobs: &Blobs) -> RunnerInput {
    match block {
        Block::Image { blob, media_type } => match blobs.get(blob) {
            Ok(bytes) => RunnerInput::Image {
                media_type: media_type.clone(),
                bytes: bytes.into(),
            },
            Err(error) => RunnerInput::Text(format!("[an image that cannot be read: {error}]")),
        },
        other => RunnerInput::Text(other.plain_text()),
    }
}
