//! Plain commands: the prompt on standard input, one process a turn.

mod claude_message;
mod events;
mod prompt;
mod text;

pub(crate) use events::EventsDialect;
pub(crate) use text::TextDialect;
