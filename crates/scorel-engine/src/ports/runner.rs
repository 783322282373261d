//! The port to a runner: a foreign agent, a program with a model and tools of its own, that runs turns.
//!
//! ```text
//! order ─ Runner::open ─→ RunnerLink ── start() ─→ how the process was started
//!                          prompt ──→   next() ──→ events … End
//!                          answer, served, steer, interrupt ──→ (while it runs)
//!                          release ──→ how the process ended
//! ```
//!
//! A link is pulled: it reads nothing from the program before the event before was taken. It may run
//! several turns, one after the other; each begins with `prompt` and ends with [`RunnerEvent::End`] or
//! an error.

mod action;
mod error;
mod event;
mod link;
mod order;
mod own_calls;
mod question;
mod service;

use std::fmt;

use futures_util::future::BoxFuture;

pub use action::RunnerAction;
pub use error::RunnerError;
pub use event::{PlanEntry, PlanStatus, RunnerCallEnd, RunnerEnd, RunnerEvent, RunnerSpent};
pub use link::{RunnerExit, RunnerLink, RunnerStart};
pub use order::{RunnerAccess, RunnerInput, RunnerOrder, ToolServer};
pub use own_calls::OwnCalls;
pub use question::{RunnerAnswer, RunnerQuestion};
pub use scorel_proto::{RunnerCapabilities, RunnerErrorKind, RunnerLogStream};
pub use service::{RunnerServices, ServiceReply, ServiceRequest, TerminalExit};

/// A configured runner.
pub trait Runner: fmt::Debug + Send + Sync {
    /// Its name in the configuration, such as `codex`.
    fn name(&self) -> &str;

    /// What it can do beyond running a prompt.
    fn capabilities(&self) -> RunnerCapabilities;

    /// Starts the program and makes or resumes its context. Sends no prompt.
    ///
    /// # Errors
    /// See [`RunnerErrorKind`]; [`RunnerErrorKind::ContextLost`] if the context to resume is gone: open
    /// it again without one. No process is left after an error, or when the future is dropped.
    fn open(
        &self,
        order: RunnerOrder,
    ) -> BoxFuture<'static, Result<Box<dyn RunnerLink>, RunnerError>>;
}
