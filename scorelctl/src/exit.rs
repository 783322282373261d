use std::fmt::Write;
use std::process::ExitCode;

macro_rules! exits {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal;)*) => {
        /// How the program ends. The numbers are a stable interface for scripts.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Exit {
            $($(#[doc = $doc])* $name = $code,)*
        }

        impl Exit {
            /// Every way to end with its meaning, in the order of the numbers.
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$name, concat!($($doc),*)),)*];
        }
    };
}

exits! {
    /// It worked.
    Success = 0;
    /// Something else went wrong, in this program or around it.
    Internal = 1;
    /// The command line makes no sense.
    Usage = 2;
    /// The daemon refused, and nothing was changed.
    NotAccepted = 3;
    /// The message was accepted, but its outcome was not awaited: the connection was lost for
    /// good, or somebody detached.
    WaitFailed = 4;
    /// The turn ended with an error, at a limit, or because the daemon stopped.
    TurnFailed = 5;
    /// The turn was cancelled.
    TurnCancelled = 6;
    /// There is no daemon to talk to.
    Unreachable = 7;
    /// Interrupted before anything was accepted.
    Interrupted = 130;
}

impl Exit {
    /// The number that the shell sees.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The part of the help text that lists the numbers.
    pub(crate) fn help() -> String {
        let mut text = "Exit codes:\n".to_owned();
        for (exit, meaning) in Self::ALL {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:>5} {meaning}", exit.code());
        }
        text
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_documented_ones() {
        let numbers: Vec<u8> = Exit::ALL.iter().map(|(exit, _)| exit.code()).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 130]);
        let help = Exit::help();
        assert!(
            help.contains("    7  There is no daemon to talk to."),
            "{help}"
        );
    }
}
