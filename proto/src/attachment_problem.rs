use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a file cannot be attached: `details.kind` of `attachment_refused`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentProblem {
    /// There is no such file.
    NotFound,
    /// There cannot be such a file.
    InvalidPath,
    /// A directory.
    Directory,
    /// A device, pipe or socket.
    NotAFile,
    /// Outside the project, or a link that leads there.
    Outside,
    /// Kept from tools, by a rule or as a hidden place.
    Denied,
    /// The file, or all texts together, exceed a limit.
    TooLarge,
    /// Neither a text nor a picture.
    Binary,
    /// The message has too many files.
    TooMany,
    /// The system does not let the daemon read it.
    Unreadable,
}

impl AttachmentProblem {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::NotFound,
        Self::InvalidPath,
        Self::Directory,
        Self::NotAFile,
        Self::Outside,
        Self::Denied,
        Self::TooLarge,
        Self::Binary,
        Self::TooMany,
        Self::Unreadable,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::InvalidPath => "invalid_path",
            Self::Directory => "directory",
            Self::NotAFile => "not_a_file",
            Self::Outside => "outside",
            Self::Denied => "denied",
            Self::TooLarge => "too_large",
            Self::Binary => "binary",
            Self::TooMany => "too_many",
            Self::Unreadable => "unreadable",
        }
    }
}
