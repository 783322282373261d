//! A key that the user pastes at the terminal, or passes through a pipe.

use std::io::{self, BufRead, IsTerminal, Read};

use super::hidden_input::HiddenInput;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// The longest accepted key, in bytes. The longest known, OAuth tokens, have about 2 KiB.
const MAX_KEY: u64 = 16 * 1024;

/// The longest key that a terminal passes on for certain: Linux cuts lines off after 4,095 bytes,
/// without an error.
const MAX_TERMINAL_KEY: usize = 4094;

/// Reads a key: from the terminal, without showing it, otherwise the first line of standard input.
/// `None` if standard input is at its end.
pub(super) async fn read(what: &str, output: &mut Output) -> Result<Option<String>, Failure> {
    if !io::stdin().is_terminal() {
        output.note(&format!("reading {what} from standard input …"))?;
        return line().await;
    }
    if !output.can_ask() {
        return Ok(None);
    }
    let hidden = HiddenInput::begin()?;
    output.aside(&format!("{what} (paste it, it is not shown): "))?;
    let line = line().await?;
    // Anything else that was pasted must not reach the shell.
    drop(hidden);
    output.aside("\n")?;
    match line {
        Some(line) if line.len() > MAX_TERMINAL_KEY => Err(Failure::usage(
            "the key is too long for a terminal, which cuts lines off",
        )
        .hint("pass it through a pipe")),
        Some(line) => Ok(Some(line)),
        None => Err(Failure::new(Exit::Interrupted, "interrupted", "no answer")),
    }
}

/// Reads a line on a blocking thread, without its end.
async fn line() -> Result<Option<String>, Failure> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = Vec::new();
        let mut limited = io::stdin().lock().take(MAX_KEY + 1);
        limited.read_until(b'\n', &mut line).map(|_| line)
    });
    let line = read.await.map_err(io::Error::other)??;
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() as u64 > MAX_KEY {
        let message = format!("the key is longer than {MAX_KEY} bytes");
        return Err(Failure::usage(message));
    }
    // The line itself is not shown: it is a secret.
    let line = String::from_utf8(line).map_err(|_| Failure::usage("the key is not UTF-8 text"))?;
    Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
}
