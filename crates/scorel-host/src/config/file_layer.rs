use super::origin::DocumentOrigin;
use super::parse::read;
use super::project::ProjectLayer;
use super::{Config, ConfigError};
use crate::trusted_file::Trust;

/// Upper bound of a configuration file.
pub(super) const MAX_BYTES: u64 = 1024 * 1024;

/// Whose file it is, which decides how it is read and what it may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileLayer {
    User,
    Project,
}

impl FileLayer {
    pub(super) const fn trust(self) -> Trust {
        match self {
            Self::User => Trust::Ours,
            Self::Project => Trust::Untrusted,
        }
    }

    /// Whether the loader accepts the text.
    pub(super) fn check(self, origin: &DocumentOrigin) -> Result<(), ConfigError> {
        let document = read(origin)?;
        match self {
            Self::User => Config::from_user(&document, origin).map(drop),
            Self::Project => {
                let _accepted = ProjectLayer::new(&document, origin);
                Ok(())
            }
        }
    }
}
