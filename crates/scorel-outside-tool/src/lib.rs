//! Tools of programs that the daemon does not control: extensions and servers. Knows neither.
//!
//! An [`OutsideSource`] lists tools. An [`OutsideTool`] holds the arguments of a call to a [`ToolSchema`] and has the gate judge it
//! by its names, as a [`ToldTool`] has them. An [`OutsideRun`] has the program do it; [`OpenCalls`] are those under way, and [`ResultContent`] is made of what comes back.

mod listed_tool;
mod open_calls;
mod outside_source;
mod outside_tool;
mod result_content;
mod told_tool;
mod tool_name;
mod tool_schema;

pub use listed_tool::ListedTool;
pub use open_calls::{CallInFlight, LONGEST_CALL, OpenCalls};
pub use outside_source::OutsideSource;
pub use outside_tool::{
    OutsideReading, OutsideRun, OutsideTool, bad_reply, failed_call, unavailable,
};
pub use result_content::{ContentError, ResultContent};
pub use told_tool::ToldTool;
pub use tool_name::tool_name;
pub use tool_schema::ToolSchema;
