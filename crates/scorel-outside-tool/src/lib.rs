//! Tools of programs that the daemon does not control: extensions and servers. Knows neither.
//!
//! An [`OutsideTool`] holds the arguments of a call to a [`ToolSchema`] and has the gate judge it by its [`tool_name`]. An
//! [`OutsideRun`] has the program do it; [`OpenCalls`] are those under way, and [`ResultContent`] is made of what comes back.

mod open_calls;
mod outside_tool;
mod result_content;
mod tool_name;
mod tool_schema;

pub use open_calls::{CallInFlight, LONGEST_CALL, OpenCalls};
pub use outside_tool::{OutsideReading, OutsideRun, OutsideTool, bad_reply, failed_call};
pub use result_content::{ContentError, ResultContent};
pub use tool_name::tool_name;
pub use tool_schema::ToolSchema;
