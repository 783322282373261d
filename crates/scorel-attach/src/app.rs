//! The state of the screen, and what changes it.
//!
//! Every input goes to one `update`; what is to be done comes out as effects, and what is to be shown as finished
//! lines and the live region. Nothing here waits.

mod answers;
mod candidate;
mod cards;
mod completion;
mod composing;
mod file_completion;
mod going;
mod help;
mod keys;
mod lines;
mod live;
mod queue;
mod rewinding;
mod slashes;
mod state;
mod status;
mod stream;
#[cfg(test)]
mod tests;

pub(crate) use state::{App, Done, Input, Setup};
