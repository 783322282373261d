//! Configuration for tests, read from a file as the daemon does.

use std::fs;
use std::sync::Arc;

use scorel_config::{Config, ConfigSource, EnvironmentConfig, ToolsConfig};

/// The section `[tools]` with these keys.
pub(crate) fn tools(keys: &str) -> ToolsConfig {
    config(&format!("[tools]\n{keys}")).tools.clone()
}

/// The section `[tools.environment]` with these keys.
pub(crate) fn tools_environment(keys: &str) -> EnvironmentConfig {
    let config = config(&format!("[tools.environment]\n{keys}"));
    config.tools.environment.clone()
}

fn config(text: &str) -> Arc<Config> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.toml");
    fs::write(&path, text).unwrap();
    ConfigSource::open(&path).unwrap().current(None)
}
