use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ClientId, DeviceId, Phase, Project, ProjectId, Session, SessionId, TurnId, Usage};

/// The parameters of a method that takes none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

/// The parameters of `hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HelloParams {
    /// The client installation. Commands need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<ClientId>,
    /// The protocol versions that the client speaks.
    pub protocol: ProtocolRange,
}

/// A range of protocol versions, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProtocolRange {
    /// The oldest version.
    pub min: u32,
    /// The newest version.
    pub max: u32,
}

impl ProtocolRange {
    /// What this version of the crate speaks.
    pub const SUPPORTED: Self = Self { min: 1, max: 1 };

    /// The newest version in both ranges.
    #[must_use]
    pub fn common(self, other: Self) -> Option<u32> {
        let newest = self.max.min(other.max);
        (newest >= self.min.max(other.min)).then_some(newest)
    }
}

/// The result of `hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelloResult {
    /// The version that both sides speak.
    pub protocol: u32,
    /// The machine.
    pub device_id: DeviceId,
    /// The daemon's version.
    pub version: String,
}

/// How the daemon is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The daemon's version.
    pub version: String,
    /// The protocol versions that it speaks.
    pub protocol: ProtocolRange,
    /// The machine.
    pub device_id: DeviceId,
    /// The machine's name, for people.
    pub display_name: String,
    /// The daemon's process.
    pub pid: u32,
    /// The directory in which everything is kept.
    pub home: String,
    /// When the daemon started, in milliseconds since 1970.
    pub started_at: u64,
    /// How many connections are open.
    pub connections: u32,
    /// How many sessions are in memory.
    pub loaded_sessions: u32,
    /// The sessions that are not idle.
    pub active: Vec<ActiveSession>,
    /// The model that new sessions use, as `provider/id`.
    pub default_model: String,
    /// Whether the daemon is stopping.
    pub draining: bool,
    /// What is wrong with the configuration file, if it could not be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_problem: Option<String>,
}

/// A session that is not idle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActiveSession {
    /// The session.
    pub session_id: SessionId,
    /// What it is doing.
    pub phase: Phase,
    /// The turn that is running.
    pub turn_id: Option<TurnId>,
}

/// The result of `shutdown`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShutdownResult {
    /// The daemon's process, to wait for.
    pub pid: u32,
}

/// The parameters of `listModels`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListModelsParams {
    /// The project whose configuration counts; otherwise the user's alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// Only this provider's models. Then an endpoint that cannot be asked is an error; otherwise
    /// its `problem` is told and what the daemon knows by itself is listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Whether endpoints are asked; `true` unless said otherwise. `false` sends nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<bool>,
}

/// The result of `listModels`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListModelsResult {
    /// The models.
    pub models: Vec<Model>,
    /// The one that new sessions use, as `provider/id`.
    pub default_model: String,
    /// The providers that were looked at.
    pub providers: Vec<ModelProvider>,
}

/// Somebody who has models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelProvider {
    /// The name.
    pub name: String,
    /// The variables in which its key is looked for, of which the first that is set counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key_variables: Vec<String>,
    /// Whether the daemon has that key.
    pub has_key: bool,
    /// Whether it is a server that people run on their own machine.
    pub local: bool,
    /// Whether its endpoint said which models it has.
    pub live: bool,
    /// Why its endpoint was not asked, or did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A model that can be used. What nobody knows is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The provider's name.
    pub provider: String,
    /// The model's id at the provider.
    pub id: String,
    /// The model's name, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many tokens a request and its answer may have together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// How many tokens an answer may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// Whether it can be told how much to think.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
    /// Whether it takes pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// What it costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
    /// Whether its provider's endpoint says that it has the model.
    pub live: bool,
}

/// What a model costs, in US dollars for a million tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelPrice {
    /// Input that was not in the provider's cache.
    pub input: f64,
    /// Output, reasoning included.
    pub output: f64,
    /// Input that was read from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Input that was written to the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// The day on which this price was noted, as `2026-11-21`; absent for what the endpoint or the
    /// configuration says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noted_on: Option<String>,
}

/// The parameters of `checkModel`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckModelParams {
    /// The project whose configuration counts; otherwise the user's alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The model, by its id at the configured provider or as `provider:id`; otherwise the one that
    /// new sessions use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The result of `checkModel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckModelResult {
    /// The model that was asked, as `provider/id`.
    pub model: String,
    /// The model that answered, as the endpoint names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// What the call used, where the endpoint said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// How long the call took.
    pub duration_ms: u64,
}

/// The id of a subscription; notifications carry it as `params.subscription`.
pub type SubscriptionId = String;

/// The parameters of the methods that end a subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnsubscribeParams {
    /// The subscription.
    pub subscription: SubscriptionId,
}

/// What `subscribeHost` sends, as `params.result` of a notification `host`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum HostEvent {
    /// Everything, as it is. It comes first, and again after a gap.
    Snapshot {
        /// The number of the last change in it.
        version: u64,
        /// The projects.
        projects: Vec<Project>,
        /// The sessions that changed last, the newest first.
        sessions: Vec<Session>,
        /// Whether there are more sessions than these; `listSessions` has them all.
        more: bool,
    },
    /// A project was registered.
    ProjectAdded {
        /// The number of the change.
        version: u64,
        /// The project.
        project: Project,
    },
    /// A project was forgotten.
    ProjectRemoved {
        /// The number of the change.
        version: u64,
        /// The project.
        project_id: ProjectId,
    },
    /// A session was made, or something about it changed: its title, phase, leaf or queue.
    SessionChanged {
        /// The number of the change.
        version: u64,
        /// The session as it is now.
        session: Box<Session>,
    },
    /// A session was deleted.
    SessionRemoved {
        /// The number of the change.
        version: u64,
        /// The session.
        session_id: SessionId,
    },
}
