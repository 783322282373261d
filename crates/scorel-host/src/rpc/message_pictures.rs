//! Pictures in what a client sends. They are in every later request of the session, so one that providers
//! refuse would end it.

use std::collections::HashMap;
use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_journal::{BlobError, Blobs};
use scorel_proto::{BlobHash, Block};
use scorel_session::Lane;
use scorel_tools::{Picture, PictureProblem};

use crate::rpc::call_error::CallError;

/// The content of the parameter `field`, each picture with the media type that its bytes tell. A blob that
/// is missing or damaged stays: models get a note in its place.
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
    spawn_blocking(move || {
        let mut check = PictureCheck {
            blobs,
            field,
            known: HashMap::new(),
        };
        content.iter_mut().try_for_each(|it| check.block(it))?;
        Ok(content)
    })
    .await?
}

/// Looks once at each blob, however often a content names it.
struct PictureCheck {
    blobs: Blobs,
    field: &'static str,
    known: HashMap<BlobHash, Option<&'static str>>,
}

impl PictureCheck {
    fn block(&mut self, block: &mut Block) -> Result<(), CallError> {
        match block {
            Block::Image { media_type, blob } => {
                if let Some(told) = self.media_type(blob)? {
                    told.clone_into(media_type);
                }
                Ok(())
            }
            Block::Attachment(file) => file.content.iter_mut().try_for_each(|it| self.block(it)),
            _ => Ok(()),
        }
    }

    fn media_type(&mut self, blob: &BlobHash) -> Result<Option<&'static str>, CallError> {
        if let Some(known) = self.known.get(blob) {
            return Ok(*known);
        }
        let told = match self.blobs.get(blob) {
            Ok(content) => Some(
                Picture::of(&content)
                    .map_err(|it| self.refused(it))?
                    .media_type,
            ),
            Err(BlobError::Missing | BlobError::Damaged) => None,
            Err(error) => return Err(error.into()),
        };
        self.known.insert(blob.clone(), told);
        Ok(told)
    }

    fn refused(&self, problem: PictureProblem) -> CallError {
        let text = format!("an image of `{}` cannot be sent: {problem}", self.field);
        CallError::invalid_field(self.field, text)
    }
}
