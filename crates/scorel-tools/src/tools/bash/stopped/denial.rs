//! Possible denials of the sandbox, and what would allow each.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::facts::SandboxFacts;

/// The longest line that is shown as evidence, in characters.
const MAX_EVIDENCE: usize = 200;

/// Something that the sandbox may have denied to a command.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct Denial {
    #[serde(flatten)]
    denied: Denied,
    /// The change that would allow it.
    wish: Wish,
    /// The line of the output that says so; absent where the exit status does.
    evidence: Option<String>,
}

/// A thing that the sandbox does not let a command do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "denied")]
pub(super) enum Denied {
    /// To change a file.
    Write {
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<PathBuf>,
    },
    /// To change a file that other programs run or obey.
    ProtectedWrite {
        path: PathBuf,
    },
    /// To read a place that is hidden from commands.
    Read {
        path: PathBuf,
    },
    /// To use the network.
    Network,
    /// To reach a server of this machine, outside the sandbox, at this port.
    LocalServer {
        port: u16,
    },
    /// To use a Unix socket.
    Socket {
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<PathBuf>,
    },
    SystemCall,
}

/// A change that would allow it, if the user agrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Wish {
    /// The argument `network`.
    Network,
    /// The argument `outside`.
    Outside,
    /// A call of `Write` or `Edit`.
    Edit,
    /// Nothing in the mode `readonly`.
    None,
}

impl Denied {
    fn wish(&self) -> Wish {
        match self {
            Self::Network | Self::LocalServer { .. } => Wish::Network,
            Self::ProtectedWrite { .. } => Wish::Edit,
            Self::Write { .. } | Self::Read { .. } | Self::Socket { .. } | Self::SystemCall => {
                Wish::Outside
            }
        }
    }
}

impl Denial {
    /// A denial to a command in this sandbox, as far as this line of the output says.
    pub(super) fn new(facts: &SandboxFacts, denied: Denied, line: Option<&str>) -> Self {
        let wish = match facts.is_readonly {
            true => Wish::None,
            false => denied.wish(),
        };
        let evidence = line.map(|line| line.trim().chars().take(MAX_EVIDENCE).collect());
        Self {
            denied,
            wish,
            evidence,
        }
    }

    /// The sentence for the model.
    pub(in super::super) fn note(&self) -> String {
        let shown = Path::display;
        let denied = match &self.denied {
            Denied::Write { path: None } => {
                "it lets a command write only to a few places".to_owned()
            }
            Denied::Write { path: Some(path) } => {
                format!("it does not let a command write to {}", shown(path))
            }
            Denied::ProtectedWrite { path } => format!(
                "it does not let a command change {}, which other programs run or obey",
                shown(path)
            ),
            Denied::Read { path } => {
                format!("it hides {} from commands", shown(path))
            }
            Denied::Network => "the command has no network".to_owned(),
            Denied::LocalServer { port } => format!(
                "the server at port {port} of this machine runs outside of it, and the command has \
                 no network"
            ),
            Denied::Socket { path: None } => "it has no Unix sockets to other programs".to_owned(),
            Denied::Socket { path: Some(path) } => format!(
                "it has no Unix sockets to other programs, such as {}",
                shown(path)
            ),
            Denied::SystemCall => "it refuses some system calls".to_owned(),
        };
        let wish = match self.wish {
            Wish::Network => "To ask the user for it, call again with `network: true`",
            Wish::Outside => {
                "If the command needs that, ask the user for it: call again with `outside: true` and \
                 a `reason`"
            }
            Wish::Edit => "Change it with Write or Edit, which the user is asked to permit",
            Wish::None => "The mode `readonly` allows it in no other way",
        };
        let alone = match &self.denied {
            Denied::Write { path: Some(_) } if self.wish == Wish::Outside => {
                "; to change only that file, call Write or Edit"
            }
            _ => "",
        };
        format!("the sandbox may have stopped this: {denied}. {wish}{alone}")
    }
}
