use std::fmt::Display;
use std::path::Path;

use super::words::InstallWords;

/// A kind of directory that is copied into the home.
pub(in crate::commands) trait Installable {
    type Id: Clone + Display;

    const WORDS: &'static InstallWords;

    /// True if a directory has the file that makes it one.
    fn is_one(dir: &Path) -> bool;

    /// The id of the one in a directory, if it can be used under the id that is asked for.
    ///
    /// # Errors
    /// The reason why it cannot, in words.
    fn identify(root: &Path, id: Option<&Self::Id>) -> Result<Self::Id, String>;
}
