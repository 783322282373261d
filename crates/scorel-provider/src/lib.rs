//! Model providers: four APIs over HTTP and the offline demo model.
//!
//! In: a [`ModelConfig`] and a key that the caller has already resolved. Out: a
//! [`Provider`](scorel_engine::Provider), made by a [`Connector`]. This crate reads no configuration and no
//! environment except the platform's proxy settings.
//!
//! A provider makes one attempt and reports how it ended; the engine retries. No error contains a
//! credential, and no redirect is followed, so that a key reaches only the host it was configured
//! for.
//!
//! The APIs (wires): `openai-completions`, `openai-responses`, `anthropic-messages` and
//! `google-generative-ai`. How hosts of one API differ is data: the `dialect` module of each wire,
//! selected by the `builtin` table.

mod anthropic_messages;
mod blobs;
mod builtin;
mod config;
mod connect;
mod demo;
mod endpoint_check;
mod google_generative_ai;
mod http;
mod listing;
mod model_facts;
mod model_id;
mod model_location;
mod model_name;
mod openai_completions;
mod openai_responses;
mod price;
mod resolved;
mod retirement;
mod secret;
mod setup_error;
mod sse;
mod table_entry;
mod thinking_levels;
mod wire;
mod wire_dialect;

pub use blobs::{BlobSource, NoBlobs};
pub use builtin::{BuiltinProvider, builtin_providers, is_version_of, key_variables};
pub use config::{ModelConfig, ModelSource};
pub use connect::Connector;
pub use endpoint_check::check_base_url;
pub use http::Timeouts;
pub use listing::{FactDifference, ListError, ListedModel};
pub use model_facts::ModelFacts;
pub use model_id::check_model_id;
pub use price::Price;
pub use resolved::EndpointId;
pub use retirement::Retirement;
pub use secret::Secret;
pub use setup_error::SetupError;
pub use table_entry::TableEntry;
pub use thinking_levels::ThinkingLevels;
