/// The program of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookCommand {
    /// A line for `sh -c`.
    Shell(String),
    /// A program and its arguments, without a shell. Never empty.
    Argv(Vec<String>),
}

impl HookCommand {
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
