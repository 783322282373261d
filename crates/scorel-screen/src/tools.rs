//! Tool calls: those that run, and a row for each that has ended.

mod call;
mod diff;
mod elapsed;
mod result;
mod running;

pub(crate) use call::Call;
pub(crate) use result::result_lines;
pub(crate) use running::RunningTool;
