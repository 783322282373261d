use std::env;
use std::io::{self, ErrorKind, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

/// The options of `less` unless the user sets some: to end where all fits on the screen, to show styles, and to
/// leave the text on the terminal.
const LESS: &str = "FRX";

/// The program that shows long text on a terminal page by page.
#[derive(Debug)]
pub(crate) struct Pager {
    child: Child,
}

impl Pager {
    /// Starts the user's pager, else `less`. `None` if the user wants none or there is none.
    pub(crate) fn start() -> io::Result<Option<(Self, impl Write + use<>)>> {
        let named = env::var("PAGER").ok();
        let mut command = match named.as_deref().map(str::trim) {
            Some("" | "cat") => return Ok(None),
            Some(line) => {
                let mut command = Command::new("/bin/sh");
                command.args(["-c", line]);
                command
            }
            None => Command::new("less"),
        };
        if env::var_os("LESS").is_none() {
            command.env("LESS", LESS);
        }
        match command.stdin(Stdio::piped()).spawn() {
            Ok(mut child) => Ok(child
                .stdin
                .take()
                .map(|stdin: ChildStdin| (Self { child }, stdin))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Waits until the user has left it. It has to know that no more comes.
    pub(crate) fn wait(mut self) -> io::Result<()> {
        self.child.wait().map(drop)
    }
}
