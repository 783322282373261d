use serde_json::{Map, Value};

use super::files::PluginFiles;
use super::format::PluginFormat;
use scorel_extension::Problem;

/// Bytes of a manifest.
const MAX_BYTES: u64 = 256 * 1024;

/// Characters of a description.
const MAX_DESCRIPTION: usize = 1_024;

/// Values of one field.
const MAX_VALUES: usize = 100;

/// The schemas of Agent Plugins whose version is read.
const SCHEMAS: &str = "https://agent-plugins.org/schemas/1.";

/// The fields of all formats.
const FIELDS: [&str; 32] = [
    "$schema",
    "agents",
    "apps",
    "author",
    "category",
    "channels",
    "commands",
    "dependencies",
    "description",
    "displayName",
    "experimental",
    "extensions",
    "homepage",
    "hooks",
    "icon",
    "interface",
    "keywords",
    "license",
    "lspServers",
    "mcpServers",
    "monitors",
    "name",
    "outputStyles",
    "repository",
    "settings",
    "skills",
    "strict",
    "tags",
    "themes",
    "userConfig",
    "version",
    "workflows",
];

/// The manifest of a plugin.
#[derive(Debug, Clone)]
pub(super) struct Manifest {
    pub(super) format: PluginFormat,
    pub(super) name: String,
    pub(super) version: Option<String>,
    pub(super) description: String,
    fields: Map<String, Value>,
}

impl Manifest {
    /// Reads the manifest of a plugin, if it has one. Mistakes in optional fields go to `problems`.
    ///
    /// # Errors
    /// The reason for which there is no plugin.
    pub(super) fn read(
        files: PluginFiles<'_>,
        format: Option<PluginFormat>,
        problems: &mut Vec<Problem>,
    ) -> Result<Self, Problem> {
        let format = format.ok_or_else(|| {
            Problem::new(
                "a plugin has `.claude-plugin/plugin.json`, `.codex-plugin/plugin.json`, or a `plugin.json` \
                 of agent-plugins.org",
            )
        })?;
        let text = files.text(format.manifest(), MAX_BYTES)?;
        let fields = object(&text.unwrap_or_default())?;
        if format == PluginFormat::AgentPlugins {
            check_schema(&fields)?;
        }
        for unknown in fields.keys().filter(|key| !FIELDS.contains(&key.as_str())) {
            let problem = Problem::of(unknown, "no such field; it is ignored");
            problems.push(problem.suggest(unknown, FIELDS));
        }
        let mut text = |field: &str| match fields.get(field) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => {
                problems.push(Problem::of(field, "it is not a string"));
                None
            }
        };
        let name = text("name").filter(|name| !name.trim().is_empty());
        let name = name.ok_or_else(|| Problem::of("name", "it is missing"))?;
        let description = text("description").unwrap_or_default();
        let description: Vec<&str> = description.split_whitespace().collect();
        Ok(Self {
            format,
            name,
            version: text("version"),
            description: description
                .join(" ")
                .chars()
                .take(MAX_DESCRIPTION)
                .collect(),
            fields,
        })
    }

    /// A field, also one that is tried out.
    pub(super) fn field(&self, name: &str) -> Option<&Value> {
        let tried = || self.fields.get("experimental")?.get(name);
        let field = self.fields.get(name).or_else(tried);
        field.filter(|it| !it.is_null())
    }

    /// The values of a field: one, or a list. Agent Plugins have fixed places.
    pub(super) fn values(&self, name: &str) -> impl Iterator<Item = &Value> {
        let field = self
            .field(name)
            .filter(|_| self.format != PluginFormat::AgentPlugins);
        let values: &[Value] = match field {
            None => &[],
            Some(Value::Array(values)) => values.as_slice(),
            Some(value) => std::slice::from_ref(value),
        };
        values.iter().take(MAX_VALUES)
    }

    /// The file that it is in.
    pub(super) const fn file(&self) -> &'static str {
        self.format.manifest()
    }
}

/// The text as a JSON object.
pub(super) fn object(text: &str) -> Result<Map<String, Value>, Problem> {
    match serde_json::from_str(text)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(Problem::new("it is not an object")),
    }
}

fn check_schema(fields: &Map<String, Value>) -> Result<(), Problem> {
    match fields.get("$schema").and_then(Value::as_str) {
        Some(schema) if schema.starts_with(SCHEMAS) => Ok(()),
        Some(schema) => {
            let reason = format!("`{schema}` is not read; version 1 of agent-plugins.org is");
            Err(Problem::of("$schema", reason))
        }
        None => {
            let reason = "it is missing, so this is not a plugin of agent-plugins.org";
            Err(Problem::of("$schema", reason))
        }
    }
}
