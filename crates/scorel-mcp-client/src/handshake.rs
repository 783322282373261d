//! The greeting of a server that was started.

use std::time::Duration;

use scorel_mcp_http::HttpFailure;
use scorel_process::{CallLimit, ServiceError, ServiceLink};
use scorel_proto::excerpt;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::era::Era;
use crate::params::{client_info, params, raw};

/// The time for an answer to `server/discover`: older servers may not answer what they do not know.
const PROBE: Duration = Duration::from_secs(3);

/// The time for other answers before it is ready. The whole start has a limit of its own.
const ANSWER: Duration = Duration::from_secs(30);

/// The versions of the protocol that begin with `initialize`.
const HANDSHAKE_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Bytes of a server's instructions that models are given.
const MAX_INSTRUCTIONS: usize = 2 * 1024;

/// The features of a server that are used.
#[derive(Debug, Clone, Default)]
pub(crate) struct Capabilities {
    pub(crate) has_tools: bool,
    /// It says when they change.
    pub(crate) tells_of_tools: bool,
    pub(crate) has_prompts: bool,
    /// It says when they change.
    pub(crate) tells_of_prompts: bool,
    pub(crate) has_resources: bool,
    /// Its instructions for models, within their bound.
    pub(crate) instructions: Option<String>,
}

/// Greets a server in an era. The error is a sentence without its full stop.
pub(crate) async fn greet(link: &ServiceLink, era: Era) -> Result<Capabilities, String> {
    match era {
        Era::Stateless => discover(link).await,
        Era::Handshake => initialize(link).await,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Discovered {
    supported_versions: Vec<String>,
    #[serde(default)]
    capabilities: Value,
    instructions: Option<String>,
}

async fn discover(link: &ServiceLink) -> Result<Capabilities, String> {
    let params = params(Era::Stateless, json!({}), None);
    let found: Discovered = ask(link, "server/discover", &params, PROBE).await?;
    let version = Era::Stateless.version();
    match found.supported_versions.iter().any(|it| it == version) {
        true => Ok(capabilities(&found.capabilities, found.instructions)),
        false => Err(format!("it does not speak version {version}")),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialized {
    protocol_version: String,
    #[serde(default)]
    capabilities: Value,
    instructions: Option<String>,
}

async fn initialize(link: &ServiceLink) -> Result<Capabilities, String> {
    let params = raw(&json!({
        "protocolVersion": Era::Handshake.version(),
        "capabilities": {},
        "clientInfo": client_info(),
    }));
    let answer: Initialized = ask(link, "initialize", &params, ANSWER).await?;
    let version = answer.protocol_version;
    if !HANDSHAKE_VERSIONS.contains(&version.as_str()) {
        return Err(format!("it speaks version {version:?}, which is not known"));
    }
    link.tell("notifications/initialized", &raw(&json!({})))
        .await;
    Ok(capabilities(&answer.capabilities, answer.instructions))
}

fn capabilities(told: &Value, instructions: Option<String>) -> Capabilities {
    let (tools, prompts) = (told.get("tools"), told.get("prompts"));
    let tells = |feature: Option<&Value>| feature.is_some_and(|it| it["listChanged"] == true);
    let instructions = instructions.filter(|text| !text.trim().is_empty());
    Capabilities {
        has_tools: tools.is_some(),
        tells_of_tools: tells(tools),
        has_prompts: prompts.is_some(),
        tells_of_prompts: tells(prompts),
        has_resources: told.get("resources").is_some(),
        instructions: instructions.map(|text| excerpt(text.trim(), MAX_INSTRUCTIONS)),
    }
}

async fn ask<T: DeserializeOwned>(
    link: &ServiceLink,
    method: &str,
    params: &RawValue,
    limit: Duration,
) -> Result<T, String> {
    let answer = link.call(method, params, &CallLimit::of(limit)).await;
    let answer = answer.map_err(|error| match error {
        ServiceError::Answered(error) => match HttpFailure::of(&error) {
            Some(failure) => failure.reason().to_owned(),
            None => format!("it refused `{method}`: {}", error.message),
        },
        other => other.to_string(),
    })?;
    serde_json::from_str(answer.get())
        .map_err(|error| format!("its answer to `{method}` cannot be read: {error}"))
}
