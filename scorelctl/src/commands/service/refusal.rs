use crate::exit::Exit;
use crate::failure::Failure;

/// The failure of a command that cannot be carried out here; nothing was changed.
pub(super) fn refused(code: &'static str, message: impl Into<String>) -> Failure {
    Failure::new(Exit::NotAccepted, code, message)
}
