use std::io::{self, IsTerminal, Read};
use std::os::fd::AsFd;

use nix::libc::mode_t;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::{SFlag, fstat};

use crate::failure::Failure;
use crate::output::Output;

/// The largest text that is read from standard input, in bytes: the daemon's limit for a frame, so
/// more could not be sent.
const MAX_INPUT: u64 = 8 * 1024 * 1024;

/// Reads standard input to its end. It must be UTF-8.
pub(super) fn read_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MAX_INPUT + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INPUT {
        return Err(Failure::usage("standard input is larger than 8 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| Failure::usage("standard input is not valid UTF-8"))
}

/// The text of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MessageText {
    /// The words of the command line.
    pub(super) typed: String,
    /// From standard input: data, in which `@path` means nothing.
    pub(super) piped: String,
}

impl MessageText {
    /// The piped text follows the typed text, after a blank line.
    pub(super) fn whole(self) -> String {
        let Self { typed, piped } = self;
        match (typed.is_empty(), piped.is_empty()) {
            (false, false) => format!("{typed}\n\n{piped}"),
            (true, _) => piped,
            (_, true) => typed,
        }
    }

    /// Reads the arguments: a last one `-` stands for standard input. Elsewhere it is a dash.
    pub(super) fn read(words: &[String]) -> Result<Self, Failure> {
        Ok(match words {
            [words @ .., dash] if dash == "-" => Self {
                typed: words.join(" "),
                piped: read_input()?,
            },
            words => Self {
                typed: words.join(" "),
                ..Self::default()
            },
        })
    }

    pub(super) fn is_blank(&self) -> bool {
        self.typed.trim().is_empty() && self.piped.trim().is_empty()
    }
}

/// A message, from the command line or from standard input. `verb` is the command, for the hint.
pub(super) fn message_text(words: &[String], verb: &str) -> Result<MessageText, Failure> {
    let text = match words {
        [] if !io::stdin().is_terminal() => MessageText {
            piped: read_input()?,
            ..MessageText::default()
        },
        [] => {
            return Err(Failure::usage("no message given").hint(format!(
                "`scorelctl {verb} TEXT`, or `scorelctl {verb} -` to read standard input"
            )));
        }
        words => MessageText::read(words)?,
    };
    if text.is_blank() {
        return Err(Failure::usage("the message is empty"));
    }
    Ok(text)
}

/// Says that there is something in a pipe that was not read: the user may have meant it. Does not wait,
/// since programs run this one with pipes that they keep open and empty.
pub(super) fn say_unread(output: &mut Output) -> io::Result<()> {
    let stdin = io::stdin();
    let is_pipe = fstat(&stdin).is_ok_and(|stat| is_fifo(stat.st_mode));
    let mut ready = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    let has_data = is_pipe
        && poll(&mut ready, PollTimeout::ZERO).is_ok()
        && ready[0]
            .revents()
            .is_some_and(|events| events.contains(PollFlags::POLLIN));
    if has_data {
        output.note("note: standard input was not read; `-` after the text adds it")?;
    }
    Ok(())
}

fn is_fifo(mode: mode_t) -> bool {
    SFlag::from_bits_truncate(mode) & SFlag::S_IFMT == SFlag::S_IFIFO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_make_a_message_and_blanks_do_not() {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let text = message_text(&words(&["fix", "-", "it"]), "send").expect("a message");
        assert_eq!(text.whole(), "fix - it", "a dash between words is one");
        assert!(matches!(
            message_text(&words(&[" "]), "send"),
            Err(Failure::Report(_))
        ));
    }

    #[test]
    fn what_is_piped_in_follows_what_is_typed() {
        let text = |typed: &str, piped: &str| MessageText {
            typed: typed.to_owned(),
            piped: piped.to_owned(),
        };
        assert_eq!(text("review", "+a\n").whole(), "review\n\n+a\n");
        assert_eq!(text("", "+a\n").whole(), "+a\n");
        assert_eq!(text("review", "").whole(), "review");
    }
}
