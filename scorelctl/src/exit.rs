use std::fmt::Write;
use std::process::ExitCode;

macro_rules! exits {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal;)*) => {
        /// The end of the program. The numbers are a stable interface for scripts; the doc comments are the
        /// help text.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Exit {
            $($(#[doc = $doc])* $name = $code,)*
        }

        impl Exit {
            /// All codes with their meaning, in ascending order.
            pub(crate) const ALL: &'static [(Self, &'static str)] = &[$((Self::$name, concat!($($doc),*)),)*];
        }
    };
}

exits! {
    /// Success.
    Success = 0;
    /// Any other failure.
    Internal = 1;
    /// The command line is invalid.
    Usage = 2;
    /// The daemon refused the command; nothing was changed.
    NotAccepted = 3;
    /// The message was accepted, but its outcome is unknown: the connection was lost, or the user
    /// detached.
    WaitFailed = 4;
    /// The turn failed, reached a limit, or was interrupted by a stop of the daemon.
    TurnFailed = 5;
    /// The turn was cancelled.
    TurnCancelled = 6;
    /// The daemon cannot be reached or started.
    Unreachable = 7;
    /// The time of `--timeout` is over; the work goes on.
    TimedOut = 8;
    /// Interrupted before the message was accepted.
    Interrupted = 130;
}

impl Exit {
    pub(crate) const fn code(self) -> u8 {
        self as u8
    }

    /// Its meaning, as the help says it.
    pub(crate) fn meaning(self) -> &'static str {
        let known = Self::ALL.iter().find(|(exit, _)| *exit == self);
        known.map_or("", |(_, meaning)| meaning.trim())
    }

    /// The section of the help text that lists the codes.
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
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 8, 130]);
        let help = Exit::help();
        assert!(
            help.contains("    7  The daemon cannot be reached or started."),
            "{help}"
        );
    }

    #[test]
    fn the_operations_page_has_the_same_table() {
        let page = include_str!("../../docs/operations.md");
        for (exit, meaning) in Exit::ALL {
            let row = format!("| {} |{meaning} |", exit.code());
            assert!(page.lines().any(|line| line == row), "{row}");
        }
    }
}
