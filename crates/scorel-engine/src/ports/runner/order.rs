use std::path::PathBuf;
use std::sync::Arc;

/// What a link is opened for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerOrder {
    /// The directory that the runner works in, absolute.
    pub directory: PathBuf,
    /// The id of the context to resume; `None` makes a new one.
    pub context: Option<String>,
    /// What the runner's own sandbox may allow, where it has one.
    pub access: RunnerAccess,
    /// Instructions of the user and the project, for a runner that does not read them itself.
    pub instructions: Option<String>,
    /// The daemon's own tools that it is offered; `None` if it has none.
    pub tools: Option<Arc<ToolServer>>,
}

/// A way to tools of the daemon, for the runner of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolServer {
    /// A program that serves them over the Model Context Protocol, on its standard input and output.
    pub program: PathBuf,
    /// Its arguments. They hold no secret: the socket is one that only this user can open.
    pub arguments: Vec<String>,
    /// The socket that the program uses, for a runner that does not speak that protocol.
    pub socket: PathBuf,
}

impl ToolServer {
    /// The name of the server, by which runners tell its tools from others.
    pub const NAME: &'static str = "scorel";
}

/// What a runner may do in its own sandbox without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerAccess {
    /// Nothing but reading.
    ReadOnly,
    /// Changes in the directory.
    Workspace,
    /// Everything.
    Full,
}

/// A part of what a runner is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunnerInput {
    /// Text.
    Text(String),
    /// An image.
    Image {
        /// Such as `image/png`.
        media_type: String,
        /// The file's bytes.
        bytes: Vec<u8>,
    },
}
