use std::path::{Path, PathBuf};

use scorel_client::{Caller, ClientError, Connect};
use scorel_proto::{
    AttachmentPath, Block, CommandId, Content, PutBlob, PutBlobParams, SendMessage,
    SendMessageParams, SendMessageResult, SessionId, WhileRunning,
};
use tokio::task::spawn_blocking;

use super::image::{ImageFile, read_image};
use crate::mentions::Mentions;

/// A message that is to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) session_id: SessionId,
    pub(crate) text: String,
    /// The directory in which `@path` names files, if it is on this machine.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) images: Vec<ImageFile>,
    pub(crate) while_running: WhileRunning,
    pub(crate) command_id: CommandId,
}

/// What came of a message.
#[derive(Debug)]
pub(crate) struct SentMessage {
    pub(crate) command_id: CommandId,
    /// The files that went with it.
    pub(crate) attached: Vec<String>,
    pub(crate) result: Result<SendMessageResult, SendError>,
}

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    /// An image cannot be read.
    #[error("{0}")]
    Image(String),
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// Stores the images, finds the files that the text mentions, and sends it.
pub(crate) async fn send<C: Connect>(message: Outgoing, caller: &Caller<C>) -> SentMessage {
    let command_id = message.command_id.clone();
    let mut attached = Vec::new();
    let result = attempt(message, caller, &mut attached).await;
    SentMessage {
        command_id,
        attached,
        result,
    }
}

async fn attempt<C: Connect>(
    message: Outgoing,
    caller: &Caller<C>,
    attached: &mut Vec<String>,
) -> Result<SendMessageResult, SendError> {
    let (text, paths) = mentioned(message.text, message.dir).await;
    let mut content = vec![Block::text(text)];
    for image in message.images {
        let read = spawn_blocking(move || read_image(&image.path)).await;
        let (data, media_type) = read
            .unwrap_or_else(|_| Err("an image cannot be read".to_owned()))
            .map_err(SendError::Image)?;
        let params = PutBlobParams {
            session_id: message.session_id,
            data,
            command_id: None,
        };
        let stored = caller.call::<PutBlob>(&params).await?;
        attached.push(image.label);
        content.push(Block::Image {
            media_type: media_type.to_owned(),
            blob: stored.sha256,
        });
    }
    attached.extend(paths.iter().cloned());
    let params = SendMessageParams {
        session_id: message.session_id,
        content: Content(content),
        attachments: paths
            .into_iter()
            .map(|path| AttachmentPath { path })
            .collect(),
        while_running: Some(message.while_running),
        parent_event_id: None,
        expected_leaf_id: None,
        model: None,
        runner: None,
        command_id: Some(message.command_id),
    };
    Ok(caller.call::<SendMessage>(&params).await?)
}

/// The text as it is sent, and the files that it mentions. Looks at the file system, elsewhere.
async fn mentioned(text: String, dir: Option<PathBuf>) -> (String, Vec<String>) {
    let Some(dir) = dir.filter(|_| text.contains('@')) else {
        return (text, Vec::new());
    };
    let whole = text.clone();
    let found = spawn_blocking(move || {
        let dir = dir.canonicalize().unwrap_or(dir);
        Mentions::of(&text, |path| is_file_in(&dir, path))
    });
    match found.await {
        Ok(found) => (found.text, found.paths),
        Err(_) => (whole, Vec::new()),
    }
}

/// Returns whether a path leads to a regular file in `dir`, which has no links.
fn is_file_in(dir: &Path, path: &str) -> bool {
    let real = dir.join(path).canonicalize();
    real.is_ok_and(|real| real.starts_with(dir) && real.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_link_out_of_the_project_attaches_nothing() {
        let dir = tempfile::tempdir().expect("a directory");
        let outside = tempfile::tempdir().expect("a directory");
        std::fs::write(outside.path().join("main.rs"), "x").expect("written");
        std::fs::write(dir.path().join("main.rs"), "y").expect("written");
        std::os::unix::fs::symlink(outside.path(), dir.path().join("out")).expect("linked");
        let found = |text: &str| mentioned(text.to_owned(), Some(dir.path().to_owned()));
        assert_eq!(found("see @main.rs:3").await.1, ["main.rs"]);
        assert!(found("see @out/main.rs").await.1.is_empty());
        assert_eq!(
            found("see \\@main.rs").await,
            ("see @main.rs".to_owned(), Vec::new())
        );
    }
}
