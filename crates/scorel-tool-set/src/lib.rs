//! The tools from outside that a session is offered.
//!
//! In: the sources of a turn, and what the session was offered before. Out: the tools of the turn, and what is to be
//! recorded. Requests begin with the descriptions of tools, and endpoints keep that beginning: so a [`ToolSet`] stays until it
//! is renewed, whatever programs list meanwhile. Of many or large tools the model is told the names only; it finds them
//! with [`ToolSearch`] and calls them with [`CallTool`].

mod call_tool;
mod gone_run;
mod listing;
mod notices;
mod reminder;
mod renewal;
mod search;
mod set_run;
mod set_tool;
mod told_names;
mod tool_search;
mod tool_set;
mod tool_sets;
mod turn_tools;

pub use call_tool::CallTool;
pub use set_tool::{SetTool, Telling};
pub use tool_search::ToolSearch;
pub use tool_set::{ToolSet, ToolSetError};
pub use tool_sets::{SetBlobs, ToolSets, ToolSetsError, ToolWish};
pub use turn_tools::TurnTools;
