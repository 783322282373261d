//! Model providers: the wires over HTTP and the offline demo model.
//!
//! A [`Connector`] makes a [`Provider`](scorel_runtime::Provider) of a [`ModelConfig`]. It is given
//! keys already resolved: this crate reads no configuration and, but for the proxy settings of the
//! platform, no environment.
//!
//! A provider makes one attempt and says how it ended; retries are the engine's. It never puts a
//! credential into an error, and it follows no redirect, so that a key reaches only the host that
//! it was configured for.
//!
//! Wires: `openai-completions`, `openai-responses`, `anthropic-messages` and
//! `google-generative-ai`. What differs between the hosts of a wire is data: see the `dialect`
//! and `builtin` modules.

mod anthropic_messages;
mod blobs;
mod builtin;
mod config;
mod connect;
mod demo;
mod dialect;
mod google_generative_ai;
mod http;
mod listing;
mod model_facts;
mod model_name;
mod openai_completions;
mod openai_responses;
mod place;
mod price;
mod secret;
mod setup_error;
mod sse;
mod wire;
mod wire_dialect;

pub use blobs::{BlobSource, NoBlobs};
pub use builtin::{BuiltinProvider, builtin_providers, key_variables};
pub use config::{ModelConfig, ModelSource};
pub use connect::Connector;
pub use http::Timeouts;
pub use listing::{ListError, ListedModel};
pub use model_facts::ModelFacts;
pub use price::Price;
pub use secret::Secret;
pub use setup_error::SetupError;
