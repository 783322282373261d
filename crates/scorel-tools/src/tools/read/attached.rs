//! Files that a user attaches to a message: read as `Read` does, but whole, and before any model runs.

use std::io::Read as _;

use scorel_engine::{Effect, Permit};

use super::opened_file::OpenedFile;
use super::picture;
use crate::error::{ErrorCode, ToolError};
use crate::root::RootName;
use crate::roots::Location;
use crate::session_files::SessionFiles;
use scorel_fs::TextEncoding;

/// The longest text that is attached, in bytes of UTF-8.
pub(crate) const MAX_ATTACHED_TEXT: u64 = 256 * 1024;

/// A file is not read further: ASCII in UTF-16 takes twice as much, and a byte order mark.
const MAX_READ: u64 = 2 * MAX_ATTACHED_TEXT + 2;

/// A file as it is attached to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedFile {
    /// As the model writes it.
    pub path: String,
    /// The size of the file in bytes.
    pub size: u64,
    pub content: AttachedContent,
}

/// The content of an attached file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttachedContent {
    Text {
        text: String,
        /// The encoding of the file, unless that is UTF-8.
        encoding: Option<&'static str>,
    },
    Picture {
        media_type: &'static str,
        content: Vec<u8>,
    },
}

impl SessionFiles {
    /// Where an attachment is, and the effect of reading it, to be judged.
    ///
    /// # Errors
    /// [`ErrorCode::SandboxViolation`] if it is not in the project. There no answer could permit it:
    /// no question is asked about an attachment.
    pub fn plan_attachment(&self, path: &str) -> Result<(Effect, Location), ToolError> {
        let (effect, location) = self.plan_read(path)?;
        if location.root != RootName::Project {
            let message = format!("{path} is outside of the project");
            return Err(ToolError::new(ErrorCode::SandboxViolation, message));
        }
        Ok((effect, location))
    }

    /// Reads an attachment, within the permit. It does not count as read: the model may see it much later.
    /// Blocks on the disk, never on a pipe.
    ///
    /// # Errors
    /// As [`SessionFiles::open`]; [`ErrorCode::ReadLimit`] for one that is too large, and
    /// [`ErrorCode::Binary`] for one that is neither text nor a picture.
    pub fn attach(&self, location: &Location, permit: &Permit) -> Result<AttachedFile, ToolError> {
        let file = self.open_shown(&self.roots.granting(permit), location, permit)?;
        let opened = OpenedFile::new(location, file)?;
        let (size, content) = match opened.picture() {
            Some(_) => {
                let (content, picture) = picture::checked(&opened)?;
                let size = content.len() as u64;
                (
                    size,
                    AttachedContent::Picture {
                        media_type: picture.media_type,
                        content,
                    },
                )
            }
            None => text(&opened)?,
        };
        Ok(AttachedFile {
            path: location.to_string(),
            size,
            content,
        })
    }
}

fn text(opened: &OpenedFile<'_>) -> Result<(u64, AttachedContent), ToolError> {
    let mut content = Vec::new();
    let mut bounded = (&opened.file).take(MAX_READ + 1);
    let read = bounded.read_to_end(&mut content);
    read.map_err(|error| opened.failed(&error))?;
    let size = opened.size.max(content.len() as u64);
    let is_whole = size <= MAX_READ;
    let decoded = TextEncoding::decode(&content);
    // The read prefix of a larger file may end in the middle of a character.
    let Some((encoding, text)) = decoded.filter(|_| is_whole) else {
        let is_binary = is_whole || content.contains(&0) && !opened.is_utf16();
        return Err(if is_binary { binary() } else { too_large() });
    };
    // A byte order mark does not belong to the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.len() as u64 > MAX_ATTACHED_TEXT {
        return Err(too_large());
    }
    let encoding = encoding.name();
    let text = text.to_owned();
    Ok((size, AttachedContent::Text { text, encoding }))
}

/// Messages about attachments are for people, who have named the file themselves.
fn binary() -> ToolError {
    let message = "it is neither text nor a picture (PNG, JPEG, GIF, WebP)";
    ToolError::new(ErrorCode::Binary, message)
}

fn too_large() -> ToolError {
    let message = format!("it has more than {} KiB of text", MAX_ATTACHED_TEXT / 1024);
    ToolError::new(ErrorCode::ReadLimit, message).with("limit", MAX_ATTACHED_TEXT)
}
