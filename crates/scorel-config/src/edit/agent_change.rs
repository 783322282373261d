use scorel_proto::SetAgentParams;
use serde::Serialize;
use toml::Value;

use super::text_change::{TextChange, WrittenValue};

/// The change of an agent's table that a client asks for.
pub(super) fn agent_change(params: &SetAgentParams) -> TextChange {
    let given = |(key, value): (&str, Option<_>)| value.map(|value| (key.to_owned(), value));
    TextChange {
        table: vec!["agents".to_owned(), params.agent_type.clone()],
        values: values(params).into_iter().filter_map(given).collect(),
        keeps_table: true,
    }
}

/// The parameters that a value of the file can be at fault for.
pub(super) fn agent_fields() -> impl Iterator<Item = &'static str> {
    let keys = values(&SetAgentParams::default()).map(|(key, _)| key);
    keys.into_iter().chain(["agentType"])
}

/// The parameters by the keys that they are for, in the order of the documentation.
fn values(params: &SetAgentParams) -> [(&'static str, Parameter); 14] {
    [
        ("displayName", written(&params.display_name)),
        ("description", written(&params.description)),
        ("capabilities", written(&params.capabilities)),
        ("runner", written(&params.runner)),
        ("model", written(&params.model)),
        ("thinkingLevel", written(&params.thinking_level)),
        ("tools", written(&params.tools)),
        ("prompt", written(&params.prompt)),
        ("workspace", written(&params.workspace)),
        ("defaultQuota", written(&params.default_quota)),
        ("enabled", written(&params.enabled)),
        ("maxTurnTokens", written(&params.max_turn_tokens)),
        ("maxTurnSeconds", written(&params.max_turn_seconds)),
        ("maxSessionCost", written(&params.max_session_cost)),
    ]
}

/// A parameter as it stands in the file: `Some(None)` takes its key out.
type Parameter = Option<Option<WrittenValue>>;

fn written<T: Serialize>(parameter: &Option<Option<T>>) -> Parameter {
    let given = parameter.as_ref()?;
    let value = given.as_ref().and_then(|value| Value::try_from(value).ok());
    Some(value.map(|value| (value.to_string(), value)))
}
