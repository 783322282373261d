//! Project files: their paths, their states, and how the records of a session changed them.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::BlobHash;
use crate::as_text::as_text;
use crate::invalid_text::InvalidText;

/// The path of a file below its project, with `/` between the names.
///
/// Names are bytes. In the text, bytes that are not UTF-8 are written `\xff`, and a backslash `\\`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath(String);

as_text!(
    FilePath,
    "^[^/]",
    "A path below the project. Bytes that are not UTF-8 are written `\\xff`, a backslash `\\\\`."
);

/// The target of a symbolic link, written as a [`FilePath`] is. It may lead anywhere.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct LinkTarget(String);

as_text!(
    LinkTarget,
    "",
    "The target of a symbolic link. Bytes that are not UTF-8 are written `\\xff`, a backslash `\\\\`."
);

impl FilePath {
    const EXPECTED: &'static str = "a path below a project";

    /// The path with these bytes.
    ///
    /// # Errors
    ///
    /// It is absolute, or a name in it is empty, `.` or `..`, or has a NUL byte.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InvalidText> {
        let is_name = |name: &[u8]| !matches!(name, b"" | b"." | b"..") && !name.contains(&0);
        if bytes.split(|byte| *byte == b'/').all(is_name) {
            Ok(Self(escaped(bytes)))
        } else {
            Err(InvalidText::new(&escaped(bytes), Self::EXPECTED))
        }
    }

    /// The bytes of the path.
    pub fn to_bytes(&self) -> Vec<u8> {
        unescaped(&self.0).unwrap_or_default()
    }

    /// The text as it stands in records.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether a name in the path is `.git`: such files are neither recorded nor restored.
    pub fn is_git_data(&self) -> bool {
        self.0.split('/').any(|name| name == ".git")
    }

    /// Returns whether `other` is below this path, as in a directory.
    pub fn contains(&self, other: &Self) -> bool {
        let rest = other.0.strip_prefix(&self.0);
        rest.is_some_and(|rest| rest.starts_with('/'))
    }
}

impl LinkTarget {
    /// The target with these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(escaped(bytes))
    }

    /// The bytes of the target.
    pub fn to_bytes(&self) -> Vec<u8> {
        unescaped(&self.0).unwrap_or_default()
    }
}

impl FromStr for FilePath {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let bytes = unescaped(text).ok_or_else(|| InvalidText::new(text, Self::EXPECTED))?;
        Self::from_bytes(&bytes)
    }
}

impl FromStr for LinkTarget {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        match unescaped(text) {
            Some(bytes) => Ok(Self::from_bytes(&bytes)),
            None => Err(InvalidText::new(text, "the target of a link")),
        }
    }
}

macro_rules! shown_as_text {
    ($($name:ident)*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

shown_as_text!(FilePath LinkTarget);

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            if char == '\\' {
                text.push('\\');
            }
            text.push(char);
        }
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// `None` if a backslash begins no escape.
fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(plain.as_bytes());
        if let Some(after) = escape.strip_prefix('\\') {
            bytes.push(b'\\');
            rest = after;
        } else {
            let digits = escape.strip_prefix('x')?.get(..2)?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &escape[3..];
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(bytes)
}

/// The permission bits of a file. In JSON four octal digits, such as `0644`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileMode(u16);

as_text!(
    FileMode,
    "^0[0-7]{3}$",
    "The permission bits of a file: four octal digits, such as `0644`."
);

impl FileMode {
    /// The permission bits of a mode; its other bits are dropped.
    pub const fn of(mode: u32) -> Self {
        Self((mode & 0o777) as u16)
    }

    /// The bits.
    pub fn bits(self) -> u32 {
        self.0.into()
    }
}

impl fmt::Display for FileMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04o}", self.0)
    }
}

impl FromStr for FileMode {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let digits = text.len() == 4 && text.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
        let bits = u16::from_str_radix(text, 8).ok();
        let bits = bits.filter(|bits| digits && *bits <= 0o777);
        bits.map(Self)
            .ok_or_else(|| InvalidText::new(text, "a file mode, such as `0644`"))
    }
}

/// The state of a path. Owner, times and access control lists are not part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    /// No file has the path.
    Absent,
    /// The state was not recorded, for example because the file is too large.
    Unknown,
    /// A regular file.
    #[serde(untagged)]
    File {
        /// The content.
        sha256: BlobHash,
        /// The permission bits.
        mode: FileMode,
    },
    /// A symbolic link.
    #[serde(untagged)]
    Link {
        /// Its target.
        link: LinkTarget,
    },
}

impl FileState {
    /// Returns whether both are known and equal.
    pub fn is(&self, other: &Self) -> bool {
        *self != Self::Unknown && self == other
    }

    /// The content of a regular file.
    pub const fn content(&self) -> Option<&BlobHash> {
        match self {
            Self::File { sha256, .. } => Some(sha256),
            _ => None,
        }
    }
}

/// The state of a file right before a tool call that may change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileBefore {
    /// The file.
    pub path: FilePath,
    /// Its state.
    pub before: FileState,
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// The file.
    pub path: FilePath,
    /// Its state before.
    pub before: FileState,
    /// Its state after.
    pub after: FileState,
    /// The kind of work that changed it.
    pub by: ChangedBy,
}

/// The kind of work that changed a file, and so how exactly the change is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangedBy {
    /// A tool that says which file it changes. Exact.
    Tool,
    /// A command, or another program at the same time: the project's files were compared.
    Command,
    /// An external agent, or another program at the same time: the project's files were compared.
    Runner,
    /// A restore. Exact.
    Restore,
}

impl ChangedBy {
    /// Returns whether the change was found by comparing files, and may be another program's.
    pub const fn is_watched(self) -> bool {
        matches!(self, Self::Command | Self::Runner)
    }
}

/// The file changes recorded for a tool call or a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedFiles {
    /// The changes.
    pub files: Vec<FileChange>,
    /// Why there may be more changes than these.
    pub unwatched: Option<String>,
}

impl RecordedFiles {
    /// The same changes, made by something else.
    #[must_use]
    pub fn by(mut self, by: ChangedBy) -> Self {
        for change in &mut self.files {
            change.by = by;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_survives_and_is_readable() {
        for (bytes, text) in [
            (&b"src/main.rs"[..], "src/main.rs"),
            ("\u{fc} \u{4e2d}\n".as_bytes(), "\u{fc} \u{4e2d}\n"),
            (b"a\xff\xfeb/c\\x41", r"a\xff\xfeb/c\\x41"),
        ] {
            let path = FilePath::from_bytes(bytes).expect("a path");
            assert_eq!(path.as_str(), text);
            assert_eq!(path.to_bytes(), bytes);
            assert_eq!(text.parse(), Ok(path));
        }
    }

    #[test]
    fn a_path_stays_below_the_project() {
        for text in [
            "", "/a", "a//b", "a/../b", ".", "a/", r"a\b", r"\x", r"a\x2", r"\x00",
        ] {
            assert!(text.parse::<FilePath>().is_err(), "{text:?}");
        }
        assert!(
            ".git/config"
                .parse::<FilePath>()
                .expect("a path")
                .is_git_data()
        );
        assert!(!"a.git".parse::<FilePath>().expect("a path").is_git_data());
        let path = |text: &str| text.parse::<FilePath>().expect("a path");
        assert!(path("a").contains(&path("a/b")));
        assert!(!path("a").contains(&path("ab")) && !path("a").contains(&path("a")));
    }

    #[test]
    fn states_have_the_short_form_of_the_records() {
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let file = FileState::File {
            sha256: hash.parse().expect("a hash"),
            mode: FileMode::of(0o100_755),
        };
        let link = FileState::Link {
            link: LinkTarget::from_bytes(b"../x"),
        };
        for (state, json) in [
            (FileState::Absent, "\"absent\"".to_owned()),
            (FileState::Unknown, "\"unknown\"".to_owned()),
            (file, format!("{{\"sha256\":\"{hash}\",\"mode\":\"0755\"}}")),
            (link, "{\"link\":\"../x\"}".to_owned()),
        ] {
            assert_eq!(serde_json::to_string(&state).expect("JSON"), json);
            assert_eq!(
                serde_json::from_str::<FileState>(&json).expect("a state"),
                state
            );
        }
        for text in ["644", "0888", "00644", "1755", "+644"] {
            assert!(text.parse::<FileMode>().is_err(), "{text}");
        }
    }
}
