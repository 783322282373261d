//! Pictures in what a client sends. They are in every later request of the session, so one that providers
//! refuse would end it.

use std::sync::Arc;

use scorel_journal::Blobs;
use scorel_proto::Block;
use scorel_session::Lane;
use scorel_tools::{Picture, PictureProblem};

use crate::blocking::blocking;
use crate::call_error::CallError;

/// The content of the parameter `field`, each picture with the media type that its bytes tell. A blob that
/// is missing stays: models get a note in its place.
pub(crate) async fn checked(
    lane: &Arc<Lane>,
    field: &'static str,
    mut content: Vec<Block>,
) -> Result<Vec<Block>, CallError> {
    let is_plain = |block: &Block| matches!(block, Block::Text { .. } | Block::Blob { .. });
    if content.iter().all(is_plain) {
        return Ok(content);
    }
    let blobs = lane.blobs().clone();
    blocking(move || {
        let checked = content.iter_mut().try_for_each(|it| check(it, &blobs));
        let refused = |problem| {
            let text = format!("an image of `{field}` cannot be sent: {problem}");
            CallError::invalid_field(field, text)
        };
        checked.map_err(refused).map(|()| content)
    })
    .await?
}

fn check(block: &mut Block, blobs: &Blobs) -> Result<(), PictureProblem> {
    match block {
        Block::Image { media_type, blob } => {
            if let Ok(content) = blobs.get(blob) {
                Picture::of(&content)?.media_type.clone_into(media_type);
            }
            Ok(())
        }
        Block::Attachment(file) => file.content.iter_mut().try_for_each(|it| check(it, blobs)),
        _ => Ok(()),
    }
}
