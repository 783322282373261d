//! Other programs that have the terminal for a while: the pager and the editor.

use std::env;
use std::io::{self, ErrorKind};
use std::process::Stdio;

use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdin, Command};

/// The options of `less` unless the user sets some: to show styles and leave the text on the terminal.
const LESS: &str = "RX";

/// Starts the user's pager, else `less`. It reads what is written to the returned pipe.
pub(crate) fn start_pager() -> io::Result<(Child, ChildStdin)> {
    let named = env::var("PAGER")
        .ok()
        .filter(|line| !line.trim().is_empty());
    let mut command = shell(named.as_deref().unwrap_or("less"));
    if env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    let stdin = child.stdin.take().ok_or(ErrorKind::BrokenPipe)?;
    Ok((child, stdin))
}

/// Shows a text in the pager until it is left.
pub(crate) async fn page(text: &str) -> io::Result<()> {
    let (mut child, mut stdin) = start_pager()?;
    // A pager that is left early closes its end.
    let _ = stdin.write_all(text.as_bytes()).await;
    let _ = stdin.write_all(b"\n").await;
    drop(stdin);
    ended(child.wait().await?)
}

/// A program that is not there ends with 127, in the shell's words.
pub(crate) fn ended(status: std::process::ExitStatus) -> io::Result<()> {
    match status.code() {
        Some(126 | 127) => Err(io::Error::other("the program cannot be started")),
        _ => Ok(()),
    }
}

/// Has the user edit a text in `$VISUAL` or `$EDITOR`.
pub(crate) async fn edit(text: &str) -> io::Result<String> {
    let named = |name: &str| env::var(name).ok().filter(|line| !line.trim().is_empty());
    let editor = named("VISUAL")
        .or_else(|| named("EDITOR"))
        .unwrap_or_else(|| "vi".to_owned());
    let file = tempfile::Builder::new()
        .prefix("scorel-")
        .suffix(".md")
        .tempfile()?;
    tokio::fs::write(file.path(), text).await?;
    let mut command = shell(&format!("{editor} \"$1\""));
    command.arg("scorelctl").arg(file.path());
    ended(command.spawn()?.wait().await?)?;
    let bytes = tokio::fs::read(file.path()).await?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("the edited text is not valid UTF-8"))
}

fn shell(line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]);
    command
}
