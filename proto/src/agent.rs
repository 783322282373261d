//! Agents: what a session gives them to do, and what comes of it.

mod binding;
mod refusal;
mod runtime_status;

pub use binding::{Binding, BoundContext};
pub use refusal::SpawnRefusal;
pub use runtime_status::RuntimeStatus;
