use std::io;

use nix::libc::_POSIX_VDISABLE;
use nix::sys::termios::{
    LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr,
};

/// While this exists, the terminal does not echo input.
///
/// Dropping it restores the terminal, also in a panic. A signal would end the program without that:
/// the caller has to handle `SIGINT`, `SIGTERM`, `SIGHUP` and `SIGQUIT` by dropping it.
#[derive(Debug)]
pub(super) struct HiddenInput {
    before: Termios,
}

impl HiddenInput {
    /// Standard input must be a terminal. Discards unread input.
    pub(super) fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut hidden = before.clone();
        hidden.local_flags.remove(LocalFlags::ECHO);
        hidden.local_flags.remove(LocalFlags::ECHONL);
        // A suspended program would leave the shell without echo.
        hidden.control_chars[SpecialCharacterIndices::VSUSP as usize] = _POSIX_VDISABLE;
        tcsetattr(io::stdin(), SetArg::TCSAFLUSH, &hidden)?;
        Ok(Self { before })
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        // Nothing is left to be done for a terminal that has gone.
        let _ = tcsetattr(io::stdin(), SetArg::TCSAFLUSH, &self.before);
    }
}
