mod agents;
mod channels;
mod edit;
mod edit_key;
mod extensions;
mod files;
mod hooks;
mod mcp;
mod model;
mod page;
mod project;
mod providers;
pub(crate) mod schema_probe;
mod source;

use std::path::Path;

use scorel_journal::Durability;
use scorel_provider::{ModelSource, Timeouts};
use scorel_rpc::RpcLimits;

use super::parse::parse;
use super::project::ProjectLayer;
use super::*;

fn user(text: &str) -> Result<Config, ConfigError> {
    let (document, origin) = parse(Path::new("/home/u/.scorel/config.toml"), text.as_bytes())?;
    Config::from_user(&document, &origin)
}

fn with_project(config: &Config, text: &str) -> Result<Config, ConfigError> {
    let (document, origin) = parse(Path::new("/p/.scorel/config.toml"), text.as_bytes())?;
    Ok(config.with_project(&ProjectLayer::new(&document, &origin)?))
}

/// Place, key, suggestion.
type Found = (
    Option<(usize, usize)>,
    Option<String>,
    Option<String>,
    String,
);

fn refused(text: &str) -> Found {
    match user(text) {
        Err(ConfigError::Content {
            position,
            key,
            suggestion,
            reason,
            ..
        }) => {
            let place = position.map(|position| (position.line, position.column));
            (place, key, suggestion, reason)
        }
        other => panic!("{text:?} gave {other:?}"),
    }
}
