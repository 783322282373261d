use scorel_proto::SetAgentParams;
use serde::Serialize;
use toml::{Table, Value};

use super::DocumentOrigin;
use super::text_table::TextTable;
use crate::ConfigError;

/// What a client changes of an agent.
#[derive(Debug)]
pub(super) struct AgentChange<'a> {
    agent_type: &'a str,
    /// The keys and their new values, in the order of the documentation; `None` takes a key out.
    values: Vec<(&'static str, Option<Value>)>,
}

impl<'a> AgentChange<'a> {
    pub(super) fn new(params: &'a SetAgentParams) -> Self {
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
        let given = |(key, value): (_, Option<_>)| value.map(|value| (key, value));
        Self {
            agent_type: &params.agent_type,
            values: values.into_iter().filter_map(given).collect(),
        }
    }

    /// The text with the change.
    pub(super) fn applied(&self, origin: &DocumentOrigin) -> Result<String, ConfigError> {
        let path = ["agents".to_owned(), self.agent_type.to_owned()];
        // Each key that goes moves the places of the others.
        let mut left = DocumentOrigin::new(origin.path().to_owned(), origin.text().to_owned());
        for (key, _) in self.values.iter().filter(|(_, value)| value.is_none()) {
            let table = TextTable::find(&left, &path)?;
            if let Some(text) = table.without(left.text(), key) {
                left = DocumentOrigin::new(origin.path().to_owned(), text);
            }
        }
        let table = TextTable::find(&left, &path)?;
        let before = table_of(origin);
        let before = self.agent(&before);
        // An unchanged value keeps its spelling in the file.
        let differs = |key: &str, value: &Value| before.and_then(|it| it.get(key)) != Some(value);
        let values = self.values.iter();
        let values = values.filter_map(|(key, value)| Some((*key, value.as_ref()?)));
        let values = values.filter(|(key, value)| differs(key, value));
        let values: Vec<_> = values
            .map(|(key, value)| (key, value.to_string()))
            .collect();
        Ok(table.with(left.text(), &values))
    }

    /// Whether the second text says what the first one says, and this change, and nothing else.
    pub(super) fn is_all_between(&self, before: &DocumentOrigin, after: &DocumentOrigin) -> bool {
        let mut expected = table_of(before);
        let agents = expected
            .entry("agents")
            .or_insert_with(|| Value::Table(Table::new()));
        let Value::Table(agents) = agents else {
            return false;
        };
        let agent = agents
            .entry(self.agent_type)
            .or_insert_with(|| Value::Table(Table::new()));
        let Value::Table(agent) = agent else {
            return false;
        };
        for (key, value) in &self.values {
            match value {
                Some(value) => drop(agent.insert((*key).to_owned(), value.clone())),
                None => drop(agent.remove(*key)),
            }
        }
        table_of(after) == expected
    }

    fn agent<'t>(&self, table: &'t Table) -> Option<&'t Table> {
        let agent = table.get("agents")?.get(self.agent_type)?;
        agent.as_table()
    }
}

/// The values of a text that was parsed before.
fn table_of(origin: &DocumentOrigin) -> Table {
    origin.text().parse().unwrap_or_default()
}

/// A parameter as it stands in the file: `Some(None)` takes its key out.
fn written<T: Serialize>(parameter: &Option<Option<T>>) -> Option<Option<Value>> {
    let given = parameter.as_ref()?;
    Some(given.as_ref().and_then(|value| Value::try_from(value).ok()))
}
