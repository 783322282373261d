//! Agents: the tasks that sessions give them, and the results.

mod binding;
mod refusal;
mod runtime_status;

pub use binding::{Binding, BoundContext};
pub use refusal::SpawnRefusal;
pub use runtime_status::RuntimeStatus;
