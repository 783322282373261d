use std::io::{self, IsTerminal, Read};

use crate::failure::Failure;

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
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MessageText {
    pub(super) text: String,
    /// Whether it is from the command line. What is piped in is data, in which `@path` means nothing.
    pub(super) is_typed: bool,
}

/// A message, from the command line or from standard input. `verb` is the command, for the hint.
pub(super) fn message_text(words: &[String], verb: &str) -> Result<MessageText, Failure> {
    let mut is_typed = false;
    let text = match words {
        [dash] if dash == "-" => read_input()?,
        [] if !io::stdin().is_terminal() => read_input()?,
        [] => {
            return Err(Failure::usage("no message given").hint(format!(
                "`scorelctl {verb} TEXT`, or `scorelctl {verb} -` to read standard input"
            )));
        }
        words => {
            is_typed = true;
            words.join(" ")
        }
    };
    if text.trim().is_empty() {
        return Err(Failure::usage("the message is empty"));
    }
    Ok(MessageText { text, is_typed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_make_a_message_and_blanks_do_not() {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            message_text(&words(&["fix", "it"]), "send").expect("a message"),
            MessageText {
                text: "fix it".to_owned(),
                is_typed: true
            }
        );
        assert!(matches!(
            message_text(&words(&[" "]), "send"),
            Err(Failure::Report(_))
        ));
    }
}
