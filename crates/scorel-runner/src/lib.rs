//! Foreign agents as back ends: their programs, and the protocols that these speak.
//!
//! ```text
//! WireRunner ─ open ─→ WireLink ═ Peer ═ pipes ═ the program, below a supervisor
//!                         │
//!                      Dialect: messages in → events and messages out
//! ```
//!
//! A [`RunnerSetup`] says which program is started and with what; a [`WireRunner`] implements the port
//! [`Runner`](scorel_engine::Runner) for it. Its link is one process. The trait `Dialect` holds the
//! differences between protocols; it has no process and does no I/O, so that recorded streams can be
//! replayed through it. The peer reads only on demand, and bounds lines and its write queue.

mod builtin;
mod data_url;
mod dialect;
mod early_events;
mod event_redactor;
mod exchange;
mod launch;
mod outgoing;
mod peer;
mod rpc;
mod setup;
mod usage_meter;
mod version;
mod versions;
mod wire_kind;
mod wire_link;
mod wire_runner;
mod wires;

pub use builtin::{BuiltinRunner, builtin, builtins};
pub use scorel_process::Secrets;
pub use setup::RunnerSetup;
pub use version::Version;
pub use versions::Versions;
pub use wire_kind::{CommandOutput, WireKind};
pub use wire_runner::WireRunner;
