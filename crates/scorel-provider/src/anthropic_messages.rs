//! The wire `anthropic-messages`: Anthropic's Messages API, which many gateways also offer.
//!
//! The base URL may or may not include the version: `https://api.anthropic.com`,
//! `https://api.anthropic.com/v1` and `https://gateway.example/anthropic` all work.
//!
//! How a model is told to reason depends on its id; see the `thinking` module.

mod blocks;
mod decoder;
mod dialect;
mod history;
mod opaque;
mod request;
#[cfg(test)]
mod samples;
mod thinking;
mod usage;

pub(crate) use dialect::AnthropicDialect;
pub(crate) use request::AnthropicMessages;
pub(crate) use thinking::ClaudeThinking;

#[cfg(test)]
mod tests;
