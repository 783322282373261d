//! The provider over real HTTP.

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod anthropic_messages;
mod bounds;
mod chat_streams;
mod collected;
mod compression;
mod connection;
mod failures;
mod gemini_turn;
mod google_generative_ai;
mod hints;
mod listing;
mod openai_responses;
mod played;
mod rebuilt;
mod replies;
mod requests;
mod tls;
mod usable;
