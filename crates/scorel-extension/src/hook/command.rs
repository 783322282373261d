use crate::Problem;

/// The longest command, in bytes.
const MAX_BYTES: usize = 32 * 1024;

/// The most arguments of a command.
const MAX_ARGUMENTS: usize = 256;

/// The program of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookCommand {
    /// A line for `sh -c`.
    Shell(String),
    /// A program and its arguments, without a shell. Never empty.
    Argv(Vec<String>),
}

impl HookCommand {
    /// The command of an entry: a line for the shell, or a program if the entry has `args`.
    pub(crate) fn new(command: String, args: Option<Vec<String>>) -> Result<Self, Problem> {
        if command.trim().is_empty() {
            return Err(Problem::of("command", "it is empty"));
        }
        let command = match args {
            None => Self::Shell(command),
            Some(args) => Self::Argv([vec![command], args].concat()),
        };
        let line = command.line();
        let is_long = matches!(&command, Self::Argv(argv) if argv.len() > MAX_ARGUMENTS + 1);
        if is_long || line.len() > MAX_BYTES {
            let reason =
                format!("a command has at most {MAX_ARGUMENTS} arguments and {MAX_BYTES} bytes");
            return Err(Problem::of("command", reason));
        }
        if line.contains('\0') {
            return Err(Problem::of("command", "it has a NUL character"));
        }
        Ok(command)
    }

    /// The program's arguments, with `sh -c` in front of a line.
    pub fn argv(&self) -> Vec<String> {
        match self {
            Self::Shell(line) => vec!["/bin/sh".to_owned(), "-c".to_owned(), line.clone()],
            Self::Argv(argv) => argv.clone(),
        }
    }

    /// The command on one line, to be shown.
    pub fn line(&self) -> String {
        match self {
            Self::Shell(line) => line.clone(),
            Self::Argv(argv) => argv.join(" "),
        }
    }
}
