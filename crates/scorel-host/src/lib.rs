//! The host: one machine's projects, models and sessions, and the methods that clients call on them.
//!
//! [`Host::open`] wires the parts of a [home](scorel_home::Home): configuration, projects, models, sessions, receipts.
//! [`methods`] registers every RPC method; a handler parses, asks the host or a lane, and replies; [`session_method`]
//! adds those of features:
//!
//! ```text
//! scorel-rpc → methods → Host → Sessions → turns: TurnSetup → provider, tools, gate
//!                 ↓ CallError → rpc_error → RpcError
//! ```
//!
//! Nothing here depends on the process: sockets, signals, claiming the home and exit codes belong to
//! `scoreld`. What the host stands on, a home and its files, is in crates that know neither it nor a call.

mod client_names;
mod commands;
mod configured_agents;
mod extensions;
mod followers;
mod host;
mod listeners;
mod mcp_clients;
mod notices;
mod programs;
mod project_items;
mod rpc;
mod runners;
mod session_blobs;
mod shutdown;
mod titles;
mod turns;

pub use host::{Host, HostParts, given_up_sessions};
pub use listeners::{Asides, Heard, Listener, ListenerPlace, ListenerSource, Reception};
pub use rpc::{SessionCommand, session_method, table as methods};
pub use shutdown::{Shutdown, ShutdownCause};
pub use turns::{HookSource, HookTurn, ToolPlace, ToolSource, TurnParts};
