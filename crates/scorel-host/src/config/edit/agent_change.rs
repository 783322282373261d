use scorel_proto::SetAgentParams;
use serde::Serialize;
use toml::{Table, Value};

use super::DocumentOrigin;
use super::text_table::TextTable;
use crate::config::ConfigError;

/// What a client changes of an agent.
#[derive(Debug)]
pub(super) struct AgentChange<'a> {
    agent_type: &'a str,
    /// The keys and their new values, in the order of the documentation.
    values: Vec<(&'static str, Value)>,
}

impl<'a> AgentChange<'a> {
    pub(super) fn new(params: &'a SetAgentParams) -> Self {
        let text = |text: &Option<String>| text.clone().map(Value::String);
        let list = |texts: &Vec<String>| texts.iter().cloned().map(Value::String).collect();
        let values = [
            ("displayName", text(&params.display_name)),
            ("description", text(&params.description)),
            (
                "capabilities",
                params.capabilities.as_ref().map(list).map(Value::Array),
            ),
            ("runner", text(&params.runner)),
            ("model", text(&params.model)),
            ("thinkingLevel", params.thinking_level.and_then(named)),
            ("tools", params.tools.and_then(named)),
            ("prompt", text(&params.prompt)),
            ("workspace", params.workspace.and_then(named)),
            (
                "defaultQuota",
                params
                    .default_quota
                    .map(|quota| Value::from(i64::from(quota))),
            ),
            ("enabled", params.enabled.map(Value::Boolean)),
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
        let table = TextTable::find(origin, &path)?;
        let before = table_of(origin);
        let before = self.agent(&before);
        // An unchanged value keeps its spelling in the file.
        let differs = |key: &str, value: &Value| before.and_then(|it| it.get(key)) != Some(value);
        let values = self.values.iter();
        let values = values.filter(|(key, value)| differs(key, value));
        let values: Vec<_> = values
            .map(|(key, value)| (*key, value.to_string()))
            .collect();
        Ok(table.with(origin.text(), &values))
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
            agent.insert((*key).to_owned(), value.clone());
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

/// The name of a choice, as it is on the wire and in the file.
fn named<T: Serialize>(choice: T) -> Option<Value> {
    Value::try_from(choice).ok()
}
