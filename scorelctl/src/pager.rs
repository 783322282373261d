use std::env;
use std::io::{self, ErrorKind, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

/// The options of `less` unless the user sets some: to end where all fits on the screen, to show styles, and to
/// leave the text on the terminal.
const LESS: &str = "FRX";

/// More than a pipe holds: when so much was written, the pager reads it.
const MAX_COPY: usize = 2 * 1024 * 1024;

/// The program that shows long text on a terminal page by page. If the shell cannot run it, the text is written
/// to standard output instead.
#[derive(Debug)]
pub(crate) struct Pager {
    child: Child,
    /// `None` once it has ended without reading anything.
    input: Option<ChildStdin>,
    /// The text written so far, while it may be that none was read.
    copy: Option<Vec<u8>>,
}

/// The shell's codes for a program that is not there or cannot be run.
const NOT_RUN: [i32; 2] = [126, 127];

impl Pager {
    /// Starts the user's pager, else `less`. `None` if the user wants none or there is none.
    pub(crate) fn start() -> io::Result<Option<Self>> {
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
            Ok(mut child) => Ok(Some(Self {
                input: child.stdin.take(),
                child,
                copy: Some(Vec::new()),
            })),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Waits until the user has left it. No more comes.
    pub(crate) fn wait(mut self) -> io::Result<()> {
        match self.input.is_some() {
            true => self.end().map(drop),
            false => Ok(()),
        }
    }

    /// Waits for its end. Returns whether the text goes to standard output, since it has never run.
    fn end(&mut self) -> io::Result<bool> {
        self.input = None;
        let code = self.child.wait()?.code();
        let copy = self.copy.take();
        let copy = copy.filter(|_| code.is_some_and(|code| NOT_RUN.contains(&code)));
        copy.map_or(Ok(false), |copy| {
            io::stdout().write_all(&copy).map(|()| true)
        })
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(input) = &mut self.input else {
            return io::stdout().write(bytes);
        };
        match input.write(bytes) {
            Ok(count) => {
                self.copy
                    .iter_mut()
                    .for_each(|copy| copy.extend_from_slice(&bytes[..count]));
                self.copy.take_if(|copy| copy.len() > MAX_COPY);
                Ok(count)
            }
            Err(error) if error.kind() == ErrorKind::BrokenPipe => match self.end()? {
                true => io::stdout().write(bytes),
                false => Err(error),
            },
            Err(error) => Err(error),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.input {
            Some(input) => input.flush(),
            None => io::stdout().flush(),
        }
    }
}
