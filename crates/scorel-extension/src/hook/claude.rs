//! The contract of Claude Code's hooks: what a command reads on its standard input, and what its output and
//! its exit mean. Pure: nothing here starts a program.

mod answer;
mod answer_error;
mod call_input;
mod decision;
mod effect;
mod stdin;
mod tool_words;
mod transcript_line;

pub use answer::answer;
pub(super) use answer::last_line;
pub use answer_error::AnswerError;
pub use call_input::{CallView, changed_input, views};
pub use effect::{HookEffect, HookOpinion};
pub use stdin::{HookAgent, HookScene, stdin};
pub use tool_words::their_tool;
pub use transcript_line::transcript_line;
