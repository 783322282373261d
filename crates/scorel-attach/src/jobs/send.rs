use std::collections::HashSet;
use std::path::{Path, PathBuf};

use scorel_client::{Caller, ClientError, Connect, new_command_id};
use scorel_proto::{
    AttachmentPath, Block, CommandId, Content, ErrorCode, PutBlob, PutBlobParams, RpcError,
    RunCommand, RunCommandParams, RunCommandResult, SendMessage, SendMessageParams, SessionId,
    WhileRunning,
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
    /// The command that the text is, if it is one.
    pub(crate) command: Option<TypedCommand>,
}

/// A command that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypedCommand {
    pub(crate) name: String,
    pub(crate) arguments: String,
}

/// The outcome of a message.
#[derive(Debug)]
pub(crate) struct SentMessage {
    pub(crate) command_id: CommandId,
    /// The files that went with it.
    pub(crate) attached: Vec<String>,
    /// A message that is not a command has no reply.
    pub(crate) result: Result<RunCommandResult, SendError>,
}

/// The reason for which a message was not sent.
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
) -> Result<RunCommandResult, SendError> {
    if let Some(command) = message.command {
        let params = RunCommandParams {
            session_id: message.session_id,
            name: command.name,
            arguments: command.arguments,
            while_running: Some(message.while_running),
            model: None,
            runner: None,
            command_id: Some(message.command_id),
        };
        return Ok(caller.call::<RunCommand>(&params).await?);
    }
    let mut images = Vec::new();
    for image in &message.images {
        attached.push(image.label.clone());
        images.push(stored(image.clone(), message.session_id, caller).await?);
    }
    let mut no_files = HashSet::new();
    let mut command_id = message.command_id.clone();
    loop {
        let (text, paths) = mentioned(&message, &no_files).await;
        let mut content = vec![Block::text(text)];
        content.extend(images.iter().cloned());
        let params = SendMessageParams {
            session_id: message.session_id,
            content: Content(content),
            attachments: paths
                .iter()
                .cloned()
                .map(|path| AttachmentPath { path })
                .collect(),
            while_running: Some(message.while_running),
            parent_event_id: None,
            expected_leaf_id: None,
            model: None,
            runner: None,
            mode: None,
            channel: None,
            command_id: Some(command_id),
        };
        let error = match caller.call::<SendMessage>(&params).await {
            Err(ClientError::Rpc(error)) if message.dir.is_none() => error,
            answer => {
                attached.extend(paths);
                return Ok(RunCommandResult {
                    message: Some(answer?),
                    reply: None,
                });
            }
        };
        // Only its daemon knows the files of another machine: a word that it refuses is sent as text.
        match refused_mention(&error) {
            Some(path) if no_files.insert(path.clone()) => command_id = new_command_id(),
            _ => return Err(ClientError::Rpc(error).into()),
        }
    }
}

/// Stores an image.
async fn stored<C: Connect>(
    image: ImageFile,
    session_id: SessionId,
    caller: &Caller<C>,
) -> Result<Block, SendError> {
    let read = spawn_blocking(move || read_image(&image.path)).await;
    let (data, media_type) = read
        .unwrap_or_else(|_| Err("an image cannot be read".to_owned()))
        .map_err(SendError::Image)?;
    let params = PutBlobParams {
        session_id,
        data,
        command_id: None,
    };
    let stored = caller.call::<PutBlob>(&params).await?;
    Ok(Block::Image {
        media_type: media_type.to_owned(),
        blob: stored.sha256,
    })
}

/// The path that the daemon does not attach since it is no file.
fn refused_mention(error: &RpcError) -> Option<String> {
    let kind = error.details["kind"].as_str()?;
    let is_no_file = matches!(
        kind,
        "not_found" | "directory" | "not_a_file" | "outside" | "invalid_path"
    );
    let path = error.details["path"].as_str()?;
    (error.code == ErrorCode::AttachmentRefused && is_no_file).then(|| path.to_owned())
}

/// The text as it is sent, and the files that it mentions. Looks at the file system, elsewhere.
async fn mentioned(message: &Outgoing, no_files: &HashSet<String>) -> (String, Vec<String>) {
    let text = message.text.clone();
    if !text.contains('@') {
        return (text, Vec::new());
    }
    let Some(dir) = message.dir.clone() else {
        let found = Mentions::of(&text, |path| !no_files.contains(path));
        return (found.text, found.paths);
    };
    let found = spawn_blocking(move || {
        let dir = dir.canonicalize().unwrap_or(dir);
        Mentions::of(&text, |path| is_file_in(&dir, path))
    });
    match found.await {
        Ok(found) => (found.text, found.paths),
        Err(_) => (message.text.clone(), Vec::new()),
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
        let outgoing = |text: &str| Outgoing {
            session_id: SessionId::generate(),
            text: text.to_owned(),
            dir: Some(dir.path().to_owned()),
            images: Vec::new(),
            while_running: WhileRunning::FollowUp,
            command_id: new_command_id(),
            command: None,
        };
        let none = HashSet::new();
        let found = async |text: &str| mentioned(&outgoing(text), &none).await;
        assert_eq!(found("see @main.rs:3").await.1, ["main.rs"]);
        assert!(found("see @out/main.rs").await.1.is_empty());
        assert_eq!(
            found("see \\@main.rs").await,
            ("see @main.rs".to_owned(), Vec::new())
        );
    }
}
