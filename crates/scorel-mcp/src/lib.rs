//! Serves sessions of the daemon as tools to a client of the Model Context Protocol on standard input and output.
//!
//! ```text
//! client ─ lines → Server ─ Era → ToolSet: Face ─ Caller → daemon
//!        ← McpClient ←            ← Outcome ←
//! ```
//!
//! Both eras of the protocol are served, each request by what it says of itself, so nothing is kept of a client but its
//! open requests. The daemon owns everything: this process can end at any time, and the turns go on.

#![warn(missing_docs)]

mod answering;
mod daemon;
mod era;
mod face;
mod failure;
mod mcp_client;
mod open_requests;
mod outcome;
mod server;
mod tool_set;
mod tool_spec;
mod turn;

use std::io;
use std::path::PathBuf;

use scorel_client::{Caller, Connect};

pub use answering::Answering;

use crate::daemon::Daemon;
use crate::face::Face;
use crate::turn::TurnTools;

/// Serves sessions to the client at the other end of the standard streams, until it closes its end.
///
/// `caller` calls the daemon, which it may start; `connector` makes the connections on which turns are waited for, and
/// does not.
///
/// # Errors
/// The client's output has no end or cannot be read, or the standard output cannot be used.
pub async fn serve_sessions<C>(
    caller: Caller<C>,
    connector: C,
    answering: Answering,
) -> io::Result<()>
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let daemon = Daemon::new(caller, connector);
    server::serve(Face::new(daemon, answering)).await
}

/// Serves the tools of a turn to the runner at the other end of the standard streams, until that closes its end. They are
/// behind `socket`, in this turn and in later ones.
///
/// # Errors
/// Those of [`serve_sessions`].
pub async fn serve_turn(socket: PathBuf) -> io::Result<()> {
    server::serve(TurnTools::new(socket)).await
}
