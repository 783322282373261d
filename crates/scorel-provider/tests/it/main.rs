//! The provider over real HTTP.

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod anthropic_messages;
mod chat_streams;
mod collected;
mod compression;
mod connection;
mod cut;
mod failures;
mod fixture;
mod google_generative_ai;
mod hints;
mod listing;
mod openai_completions;
mod openai_responses;
mod played;
mod recorded;
mod requests;
mod tls;
mod usable;
