//! The wire `openai-completions`: chat completions, the API that most servers imitate.
//!
//! The base URL is the part before `/chat/completions`. The imitations differ in many small ways:
//! [`ChatDialect`] holds the differences that must be known before a request; the decoder detects
//! those that a reply shows by itself, such as the field with its reasoning.

mod cache;
mod chat_message;
mod decoder;
mod dialect;
mod history;
mod reasoning;
mod request;
mod think_tags;
mod tool_calls;
mod usage;

pub(crate) use dialect::ChatDialect;
pub(crate) use request::OpenAiCompletions;
