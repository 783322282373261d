//! The permission gate: rules and grants → decision per effect → permit, request or refusal per call.

mod channel;
mod findings;
mod gate;
mod grants;
mod hidden_by_rules;
mod hidden_reads;
mod ignored;
mod read_filter;
#[cfg(test)]
mod tests;

pub use channel::{GateChannel, capped};
pub use gate::{CommandPlace, Gate, GateSettings};
pub use grants::Grants;
