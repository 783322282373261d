//! The built-in providers: endpoints, keys, dialects and models that need no configuration.
//!
//! Data only: providers in `table`, models in `models.toml`. What a caller configures itself takes
//! precedence; see `connect` and `model_location`.

mod builtin_provider;
mod catalogue;
mod entry;
mod hosts;
mod known_model;
mod model_family;
mod model_price;
mod table;

pub(crate) use catalogue::family_facts;
pub(crate) use entry::{Builtin, ColonRule};
pub(crate) use hosts::dialect_of_host;
pub(crate) use known_model::KnownModel;
pub(crate) use table::{find_builtin, find_builtin_at, find_builtin_with_model};

pub use entry::is_version_of;

pub use builtin_provider::{BuiltinProvider, builtin_providers, key_variables};

#[cfg(test)]
mod tests;
