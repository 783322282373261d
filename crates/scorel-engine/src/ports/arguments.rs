//! Tool arguments: the schema for the model and the parser for what it sends, from one type.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ToolOutcome;
use super::lenient::lenient;

/// The error code of arguments that do not fit, as in the `details` of an outcome.
pub(super) const CODE: &str = "E_INVALID_ARGUMENTS";

/// Why arguments were rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ArgumentError {
    /// The path of the offending field; absent if it is the arguments as a whole.
    pub field: Option<String>,
    /// The reason, for the model.
    pub message: String,
}

impl ArgumentError {
    /// The arguments as a whole are wrong.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            field: None,
            message: message.into(),
        }
    }

    /// One field is wrong; `message` continues a sentence that begins with its name.
    pub fn of(field: &str, message: &str) -> Self {
        Self {
            field: Some(field.to_owned()),
            message: format!("`{field}` {message}"),
        }
    }
}

impl From<ArgumentError> for ToolOutcome {
    fn from(error: ArgumentError) -> Self {
        let field = error.field.map(|field| ("field".to_owned(), field.into()));
        Self::failure(
            CODE,
            &error.message,
            field.into_iter().collect::<Map<_, _>>(),
        )
    }
}

/// Parses a call's arguments, also in the spellings of other tools.
///
/// # Errors
/// They are not a JSON object, or do not fit the type.
pub fn parse_arguments<A>(input: Value) -> Result<A, ArgumentError>
where
    A: DeserializeOwned + JsonSchema + 'static,
{
    if !input.is_object() {
        return Err(ArgumentError::new("the arguments must be a JSON object"));
    }
    parse(input.clone()).or_else(|_| parse(lenient(input, &schema::<A>())))
}

fn parse<A: DeserializeOwned>(input: Value) -> Result<A, ArgumentError> {
    serde_path_to_error::deserialize(input).map_err(|error| {
        let field = error.path().to_string();
        let message = error.into_inner().to_string();
        if field == "." {
            ArgumentError::new(message)
        } else {
            ArgumentError {
                message: format!("`{field}`: {message}"),
                field: Some(field),
            }
        }
    })
}

/// The JSON Schema of a tool's arguments, generated once for each type and shared by all sessions.
pub(super) fn schema<A: JsonSchema + 'static>() -> Arc<Value> {
    static SCHEMAS: Mutex<BTreeMap<TypeId, Arc<Value>>> = Mutex::new(BTreeMap::new());
    let mut schemas = SCHEMAS.lock().unwrap_or_else(PoisonError::into_inner);
    let schema = schemas.entry(TypeId::of::<A>());
    Arc::clone(schema.or_insert_with(|| Arc::new(generate::<A>())))
}

/// Plain objects and types only, the subset that every provider accepts.
fn generate<A: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<A>()
        .to_value();
    if let Value::Object(fields) = &mut schema {
        // That of the Rust type; the model gets the tool's own.
        fields.shift_remove("description");
    }
    simplify(&mut schema);
    schema
}

/// Drops titles, number formats and defaults, and `null` as an alternative to leaving a field out:
/// it is accepted but not advertised.
fn simplify(schema: &mut Value) {
    let Value::Object(fields) = schema else {
        return;
    };
    for noise in ["title", "format", "default"] {
        fields.shift_remove(noise);
    }
    // Its line breaks are those of the source.
    if let Some(Value::String(text)) = fields.get_mut("description") {
        *text = text.replace('\n', " ");
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
