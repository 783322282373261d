use scorel_proto::SetAgentParams;
use serde::Serialize;
use toml::Value;

use super::text_change::{TextChange, WrittenValue};

/// The change of an agent's table that a client asks for.
pub(super) fn agent_change(params: &SetAgentParams) -> TextChange {
    let values = [
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
    ];
    let given = |(key, value): (&str, Option<_>)| value.map(|value| (key.to_owned(), value));
    TextChange {
        table: vec!["agents".to_owned(), params.agent_type.clone()],
        values: values.into_iter().filter_map(given).collect(),
        keeps_table: true,
    }
}

/// A parameter as it stands in the file: `Some(None)` takes its key out.
fn written<T: Serialize>(parameter: &Option<Option<T>>) -> Option<Option<WrittenValue>> {
    let given = parameter.as_ref()?;
    let value = given.as_ref().and_then(|value| Value::try_from(value).ok());
    Some(value.map(|value| (value.to_string(), value)))
}
