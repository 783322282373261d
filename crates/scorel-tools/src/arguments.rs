//! Arguments: the schema that the model gets and the check of what it sends, from one type.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::ToolError;

/// Checks a call's arguments.
pub(crate) fn parse<T: DeserializeOwned>(input: Value) -> Result<T, ToolError> {
    if !input.is_object() {
        return Err(ToolError::invalid("the arguments must be a JSON object"));
    }
    serde_path_to_error::deserialize(input).map_err(|error| {
        let field = error.path().to_string();
        let message = error.into_inner().to_string();
        if field == "." {
            ToolError::invalid(message)
        } else {
            ToolError::invalid(format!("`{field}`: {message}")).with("field", field)
        }
    })
}

/// The JSON Schema of a tool's arguments: plain objects and types only, which every provider
/// understands.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    if let Value::Object(fields) = &mut schema {
        // The description of the Rust type; the tool's own description says more.
        fields.shift_remove("description");
    }
    simplify(&mut schema);
    schema
}

/// Drops what only a generator knows: titles, number formats, and `null` as a spelling of "left
/// out", which is accepted but not advertised.
fn simplify(schema: &mut Value) {
    let Value::Object(fields) = schema else {
        return;
    };
    for noise in ["title", "format", "default"] {
        fields.shift_remove(noise);
    }
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = fields.shift_remove("anyOf")
        && let Some(Value::Object(choice)) = choices.into_iter().find(|it| it["type"] != "null")
    {
        for (name, value) in choice {
            fields.entry(name).or_insert(value);
        }
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(items) = fields.get_mut("items") {
        simplify(items);
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().for_each(simplify);
    }
}
