//! Pinned files: a feature that other crates could be written after.
//!
//! A client pins a file of a session. From then on the session's model is asked about each call that names
//! it, whatever the mode allows. The parts are those that a feature can have, each in a file:
//!
//! ```text
//! pinFile ─ method ─→ event in the log ─→ SessionFeature ─→ tool: names them to the model
//!              └────→ state file                      └───→ hook: has calls asked about
//! ```
//!
//! The events are the truth. The state file says which sessions have any, so that the next daemon reads no
//! other log for them.

mod hook;
mod method;
mod pins;
mod state;
mod tool;

pub use hook::PinHooks;
pub use method::{PinFile, PinFileParams, register};
pub use pins::Pins;
pub use state::PINS;
pub use tool::PinTools;
