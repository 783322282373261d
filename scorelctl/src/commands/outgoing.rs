//! A message with its files, before it is sent.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use scorel_attach::Mentions;
use scorel_client::ClientError;
use scorel_proto::{
    Attachment, AttachmentPath, Block, Content, ErrorCode, RpcError, SendMessage,
    SendMessageParams, SendMessageResult,
};
use serde::Serialize;

use super::input::MessageText;
use crate::daemon::{DaemonClient, new_command_id};
use crate::failure::Failure;
use crate::output::Output;
use crate::target;

/// The parts of a message.
#[derive(Debug, Default)]
pub(super) struct MessageDraft {
    /// `None` if `kept` has the text.
    pub(super) text: Option<MessageText>,
    /// Blocks of the message that this one replaces.
    pub(super) kept: Vec<Block>,
    /// Those of `--file`, from the working directory.
    pub(super) files: Vec<PathBuf>,
}

/// A message as `sendMessage` takes it.
#[derive(Debug)]
struct OutgoingMessage {
    content: Content,
    attachments: Vec<AttachmentPath>,
    files: SentFiles,
}

/// The file system that has the files of a message.
#[derive(Debug, Clone, Copy)]
enum FilesPlace<'a> {
    /// This machine's: the session works in this directory, which has no links.
    Here(&'a Path),
    /// Another machine's, where these mentions are no files, as its daemon has told.
    There(&'a HashSet<String>),
}

/// The files of a message, for the user.
#[derive(Debug, Default)]
pub(super) struct SentFiles {
    pub(super) attached: Vec<SentFile>,
    /// Of the message that this one replaces: they are sent as they were.
    kept: Vec<SentFile>,
}

/// A file as `--json` lists it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct SentFile {
    path: String,
    /// `None` if the file is on another machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
}

/// A message that is a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypedCommand {
    pub(super) name: String,
    pub(super) arguments: String,
}

impl MessageDraft {
    /// The command that the message is: its first word begins with a slash, and has no other.
    pub(super) fn command(&self) -> Option<TypedCommand> {
        let text = self.text.clone().filter(|_| self.kept.is_empty())?;
        let line = text.typed.strip_prefix('/')?;
        let (name, typed) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if name.is_empty() || name.contains('/') {
            return None;
        }
        let arguments = MessageText {
            typed: typed.trim().to_owned(),
            piped: text.piped,
        };
        Some(TypedCommand {
            name: name.to_owned(),
            arguments: arguments.whole(),
        })
    }

    pub(super) fn of(text: MessageText, files: &[PathBuf]) -> Self {
        Self {
            text: Some(text),
            kept: Vec::new(),
            files: files.to_vec(),
        }
    }

    /// Sends the message to a session that works in `dir`; `params` lacks the content and the key. What a text
    /// mentions is attached only where there is such a file. This looks at the file system; that of another
    /// machine is its daemon's to read, so each mention that it refuses as no file is sent as text.
    pub(super) async fn send(
        &self,
        mut params: SendMessageParams,
        dir: &Path,
        daemon: &DaemonClient,
    ) -> Result<(SendMessageResult, SentFiles), Failure> {
        let dir = &dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let mut no_files = HashSet::new();
        loop {
            let place = match daemon.link().local() {
                Some(_) => FilesPlace::Here(dir),
                None => FilesPlace::There(&no_files),
            };
            let message = self.finish(place)?;
            params.content = message.content;
            params.attachments = message.attachments;
            params.command_id = Some(new_command_id());
            let error = match daemon.call::<SendMessage>(&params).await {
                Err(ClientError::Rpc(error)) => error,
                answer => return Ok((answer?, message.files)),
            };
            let mention = self
                .refused_mention(&error)
                .filter(|_| daemon.link().remote().is_some());
            if !mention.is_some_and(|path| no_files.insert(path.to_owned())) {
                return Err(ClientError::from(error).into());
            }
        }
    }

    /// The path that the daemon does not attach since it is no file, unless `--file` has asked for it.
    fn refused_mention<'a>(&self, error: &'a RpcError) -> Option<&'a str> {
        if error.code != ErrorCode::AttachmentRefused {
            return None;
        }
        let kind = error.details["kind"].as_str()?;
        let is_no_file = matches!(
            kind,
            "not_found" | "directory" | "not_a_file" | "outside" | "invalid_path"
        );
        let path = error.details["path"].as_str().filter(|_| is_no_file)?;
        let is_asked_for = self.files.iter().any(|file| file == Path::new(path));
        (!is_asked_for).then_some(path)
    }

    fn finish(&self, place: FilesPlace<'_>) -> Result<OutgoingMessage, Failure> {
        let mut attachments = Vec::new();
        let mut attached = Vec::new();
        let mut known = HashSet::new();
        let mut attach = |named: &str| {
            let file = place.file(named);
            if known.insert(file.0) {
                attachments.push(AttachmentPath {
                    path: named.to_owned(),
                });
                attached.push(file.1);
            }
        };
        for file in &self.files {
            attach(target::utf8(&place.named(file)?)?);
        }
        let mut content = Vec::new();
        if let Some(MessageText { typed, piped }) = self.text.clone() {
            let mentions = Mentions::of(&typed, |path| place.is_file(path));
            for path in &mentions.paths {
                attach(path);
            }
            let typed = mentions.text;
            content.push(Block::text(MessageText { typed, piped }.whole()));
        }
        let mut kept = self.kept.clone();
        // A file that is attached anew takes the place of what it was.
        let is_new = |file: &Attachment| attached.iter().any(|it| it.path == file.path);
        kept.retain(|block| !matches!(block, Block::Attachment(file) if is_new(file)));
        let files = SentFiles {
            attached,
            ..SentFiles::kept(&kept)
        };
        content.extend(kept);
        Ok(OutgoingMessage {
            content: Content(content),
            attachments,
            files,
        })
    }
}

impl FilesPlace<'_> {
    /// The path that the daemon is given for one of `--file`. Here it is from the working directory, there from
    /// the session's.
    fn named(self, file: &Path) -> Result<PathBuf, Failure> {
        match self {
            Self::Here(_) => Ok(named_place(&std::path::absolute(file)?)),
            Self::There(_) => Ok(file.to_owned()),
        }
    }

    /// A file by one name of several, and as it is shown.
    fn file(self, named: &str) -> (PathBuf, SentFile) {
        match self {
            Self::Here(dir) => {
                let place = named_place(&dir.join(named));
                let shown = SentFile::at(&place, dir);
                (place, shown)
            }
            Self::There(_) => {
                let shown = SentFile {
                    path: named.to_owned(),
                    size: None,
                };
                (PathBuf::from(named), shown)
            }
        }
    }

    /// Returns whether a mention may be a file to attach.
    fn is_file(self, path: &str) -> bool {
        match self {
            Self::Here(dir) => is_file_in(dir, path),
            Self::There(no_files) => !no_files.contains(path),
        }
    }
}

impl SentFiles {
    /// The files that stay with a message whose text is replaced.
    pub(super) fn kept(content: &[Block]) -> Self {
        Self {
            attached: Vec::new(),
            kept: content.iter().filter_map(SentFile::of_block).collect(),
        }
    }

    /// Tells the user which files the message has.
    pub(super) fn say(&self, output: &mut Output) -> Result<(), Failure> {
        for file in &self.attached {
            output.note(&format!("attached: {}", file.title()))?;
        }
        for file in &self.kept {
            output.note(&format!("kept as it was attached: {}", file.title()))?;
        }
        Ok(())
    }
}

impl SentFile {
    fn at(place: &Path, dir: &Path) -> Self {
        let shown = place.strip_prefix(dir).unwrap_or(place);
        Self {
            path: shown.to_string_lossy().into_owned(),
            size: Some(fs::metadata(place).map_or(0, |metadata| metadata.len())),
        }
    }

    fn of_block(block: &Block) -> Option<Self> {
        let Block::Attachment(file) = block else {
            return None;
        };
        Some(Self {
            path: file.path.clone(),
            size: Some(file.size),
        })
    }

    fn title(&self) -> String {
        let Some(size) = self.size else {
            return self.path.clone();
        };
        let file = Attachment {
            path: self.path.clone(),
            size,
            encoding: None,
            content: Vec::new(),
        };
        file.title()
    }
}

/// Blocks that stay with a message whose text is replaced.
pub(super) fn besides_text(content: &[Block]) -> Vec<Block> {
    let is_text = |block: &&Block| matches!(block, Block::Text { .. });
    content
        .iter()
        .filter(|block| !is_text(block))
        .cloned()
        .collect()
}

/// The path without links in its directory. What the file itself is, is for the daemon to see.
fn named_place(path: &Path) -> PathBuf {
    let directory = path.parent().and_then(|parent| parent.canonicalize().ok());
    match (directory, path.file_name()) {
        (Some(directory), Some(name)) => directory.join(name),
        _ => path.to_owned(),
    }
}

/// Returns whether a path leads to a regular file in `dir`, which has no links.
fn is_file_in(dir: &Path, path: &str) -> bool {
    let real = dir.join(path).canonicalize();
    real.is_ok_and(|real| real.starts_with(dir) && real.is_file())
}
