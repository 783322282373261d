use scorel_home::trusted_file::Trust;

use super::agent_section::check_runners;
use super::origin::DocumentOrigin;
use super::parse::read;
use super::project::ProjectLayer;
use super::{Config, ConfigError};

/// Upper bound of a configuration file.
pub(crate) const MAX_BYTES: u64 = 1024 * 1024;

/// Whose file it is, which decides how it is read and what it may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileLayer {
    User,
    Project,
}

impl FileLayer {
    pub(crate) const fn trust(self) -> Trust {
        match self {
            Self::User => Trust::Ours,
            Self::Project => Trust::Untrusted,
        }
    }

    /// Accepts a text without a problem. The loader accepts an agent whose runner is not there.
    pub(crate) fn check(self, origin: &DocumentOrigin) -> Result<(), ConfigError> {
        let document = read(origin)?;
        match self {
            Self::User => {
                let config = Config::from_user(&document, origin)?;
                check_runners(&document.agents, &config.runners, origin)
            }
            Self::Project => ProjectLayer::new(&document, origin).map(drop),
        }
    }
}
