//! The configuration: `config.toml` in the home, and `.scorel/config.toml` in a project over it.
//!
//! Text → `parse` (serde, errors with position and suggestion) → `schema` (sections, ranges) →
//! `layers` ([`Config`], complete with defaults) → `source` (cached, re-read when a file changes).
//! `edit` changes a file for a client or a person, and keeps what it does not change byte for byte;
//! `problems` finds all that is wrong with one, and `report` says where each setting is from.
//!
//! Both files have one schema. A file with an unknown key or a value out of range is rejected as a
//! whole. A project's file is as untrusted as the repository: it may only choose the model's id and
//! thinking level, lower limits of turns, agents and the orchestrator, and add `deny` and `ask` rules. Its hooks
//! and servers are read, and run only when a user trusts them.
//! Its other settings are ignored with a [`Warning`].

mod agent;
mod agent_runtime;
mod agent_section;
mod agent_texts;
mod auxiliary;
mod bounded;
mod builtin_rule;
mod cached_file;
mod channels_section;
mod config;
mod config_watch;
mod dollars;
mod edit;
mod edit_error;
mod endpoint;
mod error;
mod extension_section;
mod file_layer;
mod hook_section;
mod key;
mod keys;
mod layers;
mod login_shell_place;
mod lowering;
mod mcp;
mod model;
mod model_name;
mod model_section;
mod news;
mod origin;
mod parse;
mod path;
mod problems;
mod project;
mod provider_section;
mod report;
mod rule;
mod rule_set;
mod runner;
mod runner_section;
mod schema;
mod source;
mod table_check;
mod text_keys;
mod text_place;
mod variable;
mod warning;
mod workflow_section;

pub use agent::{AgentSettings, Agents};
pub use agent_texts::{AgentTexts, RefusedText, check_agent_name};
pub use auxiliary::AuxiliaryConfig;
pub use builtin_rule::BuiltinRule;
pub use config::{
    Config, EnvironmentConfig, PermissionsConfig, RuntimeConfig, ServiceConfig, SessionsConfig,
    ToolsConfig,
};
pub use config_watch::ConfigWatch;
pub use edit::{ConfigFile, EditedText};
pub use edit_error::EditConfigError;
pub use error::{ConfigError, Position};
pub use extension_section::ExtensionsConfig;
pub use key::{ConfigKey, InvalidConfigKey};
pub use login_shell_place::LoginShellPlace;
pub use mcp::{
    ClientDocument, ForeignServer, McpCommand, McpConfig, McpEndpoint, McpLogin, McpServer,
    McpServerName, McpShare, McpToolFilter, McpToolPattern, McpTransport, RegisteredClient,
    ServerFile, foreign_server,
};
pub use model::{ModelSettings, usual_key_names};
pub use path::ConfigPath;
pub use rule::GateRule;
pub use rule_set::RuleSet;
pub use runner::{OnContextLost, RunnerConfig, RunnerSandbox};
pub use scorel_permission::Mode;
pub use source::ConfigSource;
pub use variable::{VariableName, VariablePattern, VariableValue};
pub use warning::Warning;
pub use workflow_section::WorkflowConfig;

pub(crate) use model::CustomProviders;
pub(crate) use runner::Runners;

#[cfg(test)]
mod tests;
