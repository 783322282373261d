use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ProjectId;

/// Parameters of `getConfig`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetConfigParams {
    /// The project whose configuration applies. Absent: the user's configuration alone.
    pub project_id: Option<ProjectId>,
}

/// Result of `getConfig`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GetConfigResult {
    /// The number of changes that have come into effect since the daemon started. `config_changed` events carry
    /// it.
    pub generation: u64,
    /// Every setting that is in effect. Rules of a project come in addition to those of the user:
    /// their key is listed once for each file.
    pub settings: Vec<ConfigSetting>,
    /// The settings of the project's file that have no effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<IgnoredSetting>,
    /// Why a file is not in effect as it is now: its last valid content is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ConfigProblem>,
}

/// One setting of the configuration.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigSetting {
    /// The key with its section, such as `runtime.maxSteps`.
    pub key: String,
    /// The value. Absent if there is none, or if it is hidden.
    pub value: Option<Value>,
    /// Where the value is from.
    pub origin: ConfigOrigin,
    /// For a setting that names a secret: where that secret is.
    pub secret: Option<SecretPlace>,
    /// True if the value looks like a credential and is left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// Where a setting is from.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigOrigin {
    /// The layer.
    pub layer: ConfigLayer,
    /// The file; absent for a default.
    pub path: Option<String>,
    /// The line of the file, counted from 1; absent for a default.
    pub line: Option<u32>,
}

/// A part of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfigLayer {
    /// The default, where no file says otherwise.
    Default,
    /// `config.toml` of the daemon's home.
    User,
    /// `.scorel/config.toml` of a project.
    Project,
    /// `env` of the daemon's home: the secrets.
    Env,
}

/// Where a secret is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SecretPlace {
    /// In the `env` file of the daemon's home.
    EnvFile,
    /// In the environment.
    Environment,
    /// Nowhere.
    Unset,
}

/// A setting of a project's file that has no effect.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IgnoredSetting {
    /// The key with its section.
    pub key: String,
    /// The project's file.
    pub path: String,
    /// The line of the file, counted from 1.
    pub line: Option<u32>,
    /// Why it has no effect.
    pub reason: String,
}

/// Why a configuration file cannot be used.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigProblem {
    /// The file.
    pub path: String,
    /// The line, counted from 1; absent if the problem has no place in the text.
    pub line: Option<u32>,
    /// The column in characters, counted from 1.
    pub column: Option<u32>,
    /// The key at fault, with its section.
    pub key: Option<String>,
    /// A description of the problem, for people.
    pub message: String,
    /// The valid name that is most like the one that was written.
    pub suggestion: Option<String>,
}

impl std::fmt::Display for ConfigProblem {
    /// `FILE:LINE:COLUMN: MESSAGE; did you mean …?`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A message about a file as a whole names it.
        if self.message.contains(&self.path) {
            return f.write_str(&self.message);
        }
        f.write_str(&self.path)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        write!(f, ": {}", self.message)?;
        match &self.suggestion {
            Some(meant) => write!(f, "; did you mean `{meant}`?"),
            None => Ok(()),
        }
    }
}
