//! A message with its files, before it is sent.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use scorel_proto::{Attachment, AttachmentPath, Block, Content};
use serde::Serialize;

use super::input::MessageText;
use crate::failure::Failure;
use crate::mentions::Mentions;
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
pub(super) struct OutgoingMessage {
    pub(super) content: Content,
    pub(super) attachments: Vec<AttachmentPath>,
    pub(super) files: SentFiles,
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
    size: u64,
}

impl MessageDraft {
    pub(super) fn of(text: MessageText, files: &[PathBuf]) -> Self {
        Self {
            text: Some(text),
            kept: Vec::new(),
            files: files.to_vec(),
        }
    }

    /// The message for a session that works in `dir`. Looks at the file system: what a text mentions is
    /// attached only where there is such a file.
    pub(super) fn finish(self, dir: &Path) -> Result<OutgoingMessage, Failure> {
        let dir = &dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let mut attachments = Vec::new();
        let mut attached = Vec::new();
        let mut known = HashSet::new();
        let mut attach = |named: &str, path: &Path| {
            let place = named_place(path);
            if known.insert(place.clone()) {
                attachments.push(AttachmentPath {
                    path: named.to_owned(),
                });
                attached.push(SentFile::at(&place, dir));
            }
        };
        for file in &self.files {
            let place = named_place(&std::path::absolute(file)?);
            attach(target::utf8(&place)?, &place);
        }
        let mut content = Vec::new();
        if let Some(MessageText { typed, piped }) = self.text {
            let mentions = Mentions::of(&typed, |path| is_file_in(dir, path));
            for path in &mentions.paths {
                attach(path, &dir.join(path));
            }
            let typed = mentions.text;
            content.push(Block::text(MessageText { typed, piped }.whole()));
        }
        let mut kept = self.kept;
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
            size: fs::metadata(place).map_or(0, |metadata| metadata.len()),
        }
    }

    fn of_block(block: &Block) -> Option<Self> {
        let Block::Attachment(file) = block else {
            return None;
        };
        Some(Self {
            path: file.path.clone(),
            size: file.size,
        })
    }

    fn title(&self) -> String {
        let file = Attachment {
            path: self.path.clone(),
            size: self.size,
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
