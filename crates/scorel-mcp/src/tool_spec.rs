use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

/// A tool, as clients list it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolSpec {
    name: String,
    description: String,
    /// JSON Schema 2020-12.
    input_schema: Value,
    annotations: ToolHints,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolHints {
    read_only_hint: bool,
    destructive_hint: bool,
    idempotent_hint: bool,
    open_world_hint: bool,
}

impl ToolSpec {
    /// A tool that only looks.
    pub(crate) fn looking<P: JsonSchema>(name: &str, description: &str) -> Self {
        Self::of::<P>(name, description, true)
    }

    /// A tool that changes something. Called again with the same `commandId`, it changes nothing more.
    pub(crate) fn changing<P: JsonSchema>(name: &str, description: &str) -> Self {
        Self::of::<P>(name, description, false)
    }

    fn of<P: JsonSchema>(name: &str, description: &str, read_only: bool) -> Self {
        let schema = SchemaGenerator::default().into_root_schema_for::<P>();
        let mut input_schema = Value::from(schema);
        // A type without fields is an object too, which the protocol wants said.
        input_schema["type"] = json!("object");
        Self::told(
            name.to_owned(),
            description.to_owned(),
            input_schema,
            read_only,
        )
    }

    /// A tool as another program tells of it.
    pub(crate) const fn told(
        name: String,
        description: String,
        input_schema: Value,
        read_only: bool,
    ) -> Self {
        Self {
            name,
            description,
            input_schema,
            annotations: ToolHints {
                read_only_hint: read_only,
                destructive_hint: false,
                idempotent_hint: read_only,
                // Sessions use commands and the network.
                open_world_hint: !read_only,
            },
        }
    }
}
