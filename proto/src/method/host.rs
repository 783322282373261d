use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ClientId, ConfigStatus, DaemonManager, DeviceId, Phase, ProcessStatus, ProjectId, SearchStatus,
    SessionId, SessionsByPhase, StorageStall, StorageStatus, SubscriberStatus, ThinkingLevel,
    TurnId, Usage,
};

/// Parameters of a method that takes none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

/// Parameters of `hello`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HelloParams {
    /// The id of this client installation, generated once and stored. Required for `commandId` on
    /// this connection, and recorded as the author of the client's events.
    pub client_id: Option<ClientId>,
    /// A name of the client for people, who see it with what the client did: one line, at most 64 bytes.
    pub name: Option<String>,
    /// The protocol versions that the client supports.
    pub protocol: ProtocolRange,
}

/// A range of protocol versions, inclusive at both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProtocolRange {
    /// The oldest supported version.
    pub min: u32,
    /// The newest supported version.
    pub max: u32,
}

impl ProtocolRange {
    /// The versions that this crate implements.
    pub const SUPPORTED: Self = Self { min: 1, max: 1 };

    /// The newest version in both ranges; `None` if they do not overlap.
    pub fn common(self, other: Self) -> Option<u32> {
        let newest = self.max.min(other.max);
        (newest >= self.min.max(other.min)).then_some(newest)
    }
}

/// Result of `hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelloResult {
    /// The negotiated protocol version: the newest in both ranges.
    pub protocol: u32,
    /// The device: stable for as long as the daemon's home directory exists.
    pub device_id: DeviceId,
    /// The version of the daemon's program, for people.
    pub version: String,
}

/// The state of the daemon.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The version of the daemon's program, for people.
    pub version: String,
    /// The protocol versions that the daemon supports.
    pub protocol: ProtocolRange,
    /// The device: stable for as long as the daemon's home directory exists.
    pub device_id: DeviceId,
    /// The name of the device, for people.
    pub display_name: String,
    /// The daemon's process id.
    pub pid: u32,
    /// The absolute path of the daemon's home directory.
    pub home: String,
    /// When the daemon started, in milliseconds since 1970.
    pub started_at: u64,
    /// The number of open connections, including this one.
    pub connections: u32,
    /// The number of sessions loaded in memory.
    pub loaded_sessions: u32,
    /// The loaded sessions whose phase is not `idle`; of the `failed` ones, those whose recovery has ended
    /// the daemon again and again.
    pub active: Vec<ActiveSession>,
    /// The model of sessions that do not set their own, as `provider/id`.
    pub default_model: String,
    /// True if the daemon is shutting down: turns finish, changes are refused.
    pub draining: bool,
    /// Why the configuration file was rejected; the last valid configuration stays in use. Absent
    /// if the file is valid or does not exist.
    pub config_problem: Option<String>,
    /// The daemon's program. Absent if the system does not tell it.
    pub executable: Option<DaemonExecutable>,
    /// The program that started the daemon, and starts it again.
    #[serde(default)]
    pub manager: DaemonManager,
    /// The loaded sessions, by phase.
    #[serde(default)]
    pub sessions_by_phase: SessionsByPhase,
    /// The number of permission requests that wait for an answer, in loaded sessions.
    #[serde(default)]
    pub questions: u32,
    /// The subscriptions to sessions' events, those that are furthest behind first.
    #[serde(default)]
    pub subscribers: Vec<SubscriberStatus>,
    /// The physical memory that the daemon's process uses; absent if the system does not tell.
    pub resident_bytes: Option<u64>,
    /// The disk under the daemon's home directory.
    #[serde(default)]
    pub storage: StorageStatus,
    /// The search index.
    #[serde(default)]
    pub search: SearchStatus,
    /// The configuration in effect.
    #[serde(default)]
    pub config: ConfigStatus,
    /// The processes that the daemon keeps for extensions, in use or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<ProcessStatus>,
    /// Since the daemon began: runs of hooks that nothing waits for, and events for them, that were dropped because
    /// too many waited.
    #[serde(default)]
    pub dropped_hook_runs: u64,
}

/// The program that runs as the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DaemonExecutable {
    /// The path that it was started from.
    pub path: String,
    /// The version that runs.
    pub version: String,
    /// True if another file is at the path now, or none: a restart would run another program.
    pub changed: bool,
}

/// A session whose phase is not `idle`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActiveSession {
    /// The session.
    pub session_id: SessionId,
    /// The session's phase.
    pub phase: Phase,
    /// The open turn; `null` if there is none, as in a failed session.
    pub turn_id: Option<TurnId>,
    /// Why it can only be read; absent if nothing is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Since when its log cannot be written; absent while it can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_stalled: Option<StorageStall>,
}

/// Parameters of `shutdown`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShutdownParams {
    /// True if running turns are parked: they stop at a step boundary, and a daemon that is ready within ten
    /// minutes goes on with them. Otherwise they are ended. Default: `false`.
    pub park: Option<bool>,
}

/// Result of `shutdown`. The daemon is still running when it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShutdownResult {
    /// The daemon's process id, for a caller that waits until it exits.
    pub pid: u32,
}

/// Parameters of `listModels`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListModelsParams {
    /// The project whose configuration applies. Absent: the user's configuration alone.
    pub project_id: Option<ProjectId>,
    /// List only this provider's models. If its endpoint cannot be queried, the call fails with
    /// `provider_error`. Absent: all providers; an endpoint that cannot be queried is reported in
    /// `problem`, and the models that the daemon knows without it are listed.
    pub provider: Option<String>,
    /// Set to query the endpoints; `true` if absent. With `false` no request is sent.
    pub live: Option<bool>,
}

/// Result of `listModels`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListModelsResult {
    /// The models, grouped by provider.
    pub models: Vec<Model>,
    /// The model of sessions that do not set their own, as `provider/id`.
    pub default_model: String,
    /// The providers that were considered, with the reason where one could not be queried.
    pub providers: Vec<ModelProvider>,
}

/// A provider of models.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelProvider {
    /// The provider's name in the configuration and in model names.
    pub name: String,
    /// The environment variables that may hold its API key, in order of precedence. Empty if it
    /// needs none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key_variables: Vec<String>,
    /// True if the daemon found an API key in one of `keyVariables`.
    pub has_key: bool,
    /// True if it is a local model server, such as Ollama, that needs no key.
    pub local: bool,
    /// `true` for an endpoint that the user described in a `[providers.NAME]` table; absent
    /// otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub custom: bool,
    /// True if its endpoint returned its list of models.
    pub live: bool,
    /// Why its endpoint was not queried, or the error of the query.
    pub problem: Option<String>,
    /// When its endpoint last listed its models, in milliseconds since 1970. Turns use that list.
    /// Absent if the daemon has none.
    pub listed_at: Option<u64>,
}

/// A usable model. Properties that neither the endpoint, the configuration nor the built-in table
/// knows are absent.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The provider's name.
    pub provider: String,
    /// The model's id at the provider.
    pub id: String,
    /// A display name.
    pub name: Option<String>,
    /// The context window in tokens: request and answer together.
    pub context_window: Option<u64>,
    /// The maximum length of an answer, in tokens.
    pub max_output_tokens: Option<u64>,
    /// True if it supports a thinking level.
    pub reasoning: Option<bool>,
    /// The thinking levels that it supports, the lowest first. Empty if they are unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thinking_levels: Vec<ThinkingLevel>,
    /// True if it accepts images as input.
    pub images: Option<bool>,
    /// The price in US dollars.
    pub price: Option<ModelPrice>,
    /// True if the provider's endpoint listed the model; `false` if only the built-in table or the
    /// configuration does.
    pub live: bool,
    /// True if the daemon has a key for its provider, or the provider needs none.
    pub has_key: Option<bool>,
    /// The page from which the built-in table has its properties. Absent if they are from elsewhere.
    pub source: Option<String>,
    /// True if `source` is not a page of the provider.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unverified: bool,
    /// The day on which the provider switches it off, such as `2026-12-11`.
    pub retires_on: Option<String>,
    /// The id of the model that the provider recommends instead.
    pub successor: Option<String>,
    /// Where the built-in table and the endpoint's list disagree. The list counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<ModelDifference>,
}

/// A property of a model that the built-in table and the endpoint's list state differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelDifference {
    /// The field of the model, such as `maxOutputTokens`.
    pub property: String,
    /// The value in the built-in table, for people.
    pub table: String,
    /// The value in the endpoint's list, for people.
    pub listed: String,
}

/// The price of a model, in US dollars per million tokens.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelPrice {
    /// Uncached input.
    pub input: f64,
    /// Output, including reasoning.
    pub output: f64,
    /// Input read from the provider's prompt cache.
    pub cache_read: Option<f64>,
    /// Input written to the provider's prompt cache.
    pub cache_write: Option<f64>,
    /// The date of a price from the built-in table or from an earlier list of the endpoint, such as
    /// `2026-11-21`. Absent for a price that the endpoint just stated or the configuration sets.
    pub noted_on: Option<String>,
    /// True if `notedOn` is more than 60 days ago, so that the price is only an estimate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

/// Parameters of `checkModel`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckModelParams {
    /// The project whose configuration applies. Absent: the user's configuration alone.
    pub project_id: Option<ProjectId>,
    /// The model to check: its id at the configured provider, or `provider:id`. Absent: the default
    /// model.
    pub model: Option<String>,
}

/// Result of `checkModel`: the model answered.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckModelResult {
    /// The model that was called, as `provider/id`.
    pub model: String,
    /// The model that the endpoint reports to have used, which may be a dated version. Absent if it
    /// does not report one.
    pub answered_by: Option<String>,
    /// The tokens used; absent if the endpoint does not report them.
    pub usage: Option<Usage>,
    /// The duration of the call, in milliseconds.
    pub duration_ms: u64,
    /// The output limit in tokens, if it cut the answer off; absent otherwise.
    pub cut_off_at: Option<u64>,
}

/// The id of a subscription, unique within its connection. Notifications carry it as
/// `params.subscription`.
pub type SubscriptionId = String;

/// Parameters of `unsubscribeEvents` and `unsubscribeHost`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnsubscribeParams {
    /// The id that the subscribing call returned.
    pub subscription: SubscriptionId,
}

/// The name that a client gave with `hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientName {
    /// The client, as events name it.
    pub client_id: ClientId,
    /// Its name, for people.
    pub name: String,
}
