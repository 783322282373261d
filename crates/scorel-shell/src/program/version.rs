//! Questions for a program's version.

use crate::word::Word;

/// Returns whether the arguments ask for the version and for nothing else.
pub(super) fn is_version(args: &[Word]) -> bool {
    matches!(args, [arg] if matches!(arg.known(), Some("--version" | "-V" | "version")))
}
