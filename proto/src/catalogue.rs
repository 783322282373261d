//! The method table with generated schemas: the common source of the OpenRPC document and the
//! reference.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::{
    EncodedEvent, ErrorData, HostEvent, METHODS, MethodInfo, RunnerContext, RunnerErrorKind,
    SyncMarker, TurnSummary,
};

/// The JSON pointer to the type definitions in the OpenRPC document.
const DEFINITIONS: &str = "/components/schemas";

/// Every method and notification with its schemas.
///
/// The schemas describe the values that are written. Reading may be more lenient: for example, it
/// accepts an absent field where `null` is written.
pub(crate) struct Catalogue {
    pub(crate) methods: Vec<MethodSchemas>,
    pub(crate) notifications: Vec<NotificationSchemas>,
    /// All referenced types, by name.
    pub(crate) definitions: Map<String, Value>,
}

/// A method with its schemas.
pub(crate) struct MethodSchemas {
    pub(crate) info: &'static MethodInfo,
    pub(crate) params: Vec<SchemaField>,
    pub(crate) result: Value,
}

/// A parameter of a method, or a field of a type.
pub(crate) struct SchemaField {
    pub(crate) name: String,
    pub(crate) required: bool,
    pub(crate) schema: Value,
}

/// A notification that a subscription sends.
pub(crate) struct NotificationSchemas {
    pub(crate) name: &'static str,
    pub(crate) subscribe: &'static str,
    pub(crate) unsubscribe: &'static str,
    /// The alternatives for `params.result`.
    pub(crate) results: Vec<Value>,
}

impl Catalogue {
    /// Generates every schema.
    pub(crate) fn new() -> Self {
        let mut generator = SchemaSettings::draft07()
            .for_serialize()
            .with(|settings| settings.definitions_path = DEFINITIONS.into())
            .into_generator();
        let methods: Vec<_> = METHODS
            .iter()
            .map(|info| {
                (
                    info,
                    (info.params)(&mut generator),
                    (info.result)(&mut generator),
                )
            })
            .collect();
        let notifications = notifications(&mut generator);
        schema::<ErrorData>(&mut generator);
        // The state that clients fold, and the values of a field that is a text.
        schema::<TurnSummary>(&mut generator);
        schema::<RunnerContext>(&mut generator);
        schema::<RunnerErrorKind>(&mut generator);
        let mut definitions = generator.take_definitions(true);
        let mut spread = Vec::new();
        let methods = methods
            .into_iter()
            .map(|(info, params, result)| {
                let name = reference(params.as_value()).unwrap_or_default().to_owned();
                let params = definitions.get(&name).map(fields).unwrap_or_default();
                spread.push(name);
                MethodSchemas {
                    info,
                    params,
                    result: result.to_value(),
                }
            })
            .collect();
        // The parameters stand with their methods, so nothing refers to their types.
        for name in spread {
            definitions.remove(&name);
        }
        definitions.sort_keys();
        Self {
            methods,
            notifications,
            definitions,
        }
    }
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

fn notifications(generator: &mut SchemaGenerator) -> Vec<NotificationSchemas> {
    vec![
        NotificationSchemas {
            name: "event",
            subscribe: "subscribeEvents",
            unsubscribe: "unsubscribeEvents",
            results: vec![
                schema::<EncodedEvent>(generator),
                schema::<SyncMarker>(generator),
            ],
        },
        NotificationSchemas {
            name: "host",
            subscribe: "subscribeHost",
            unsubscribe: "unsubscribeHost",
            results: vec![schema::<HostEvent>(generator)],
        },
    ]
}

/// The name of the definition that a `$ref` points to.
pub(crate) fn reference(schema: &Value) -> Option<&str> {
    let target = schema.get("$ref")?.as_str()?;
    target
        .strip_prefix('#')?
        .strip_prefix(DEFINITIONS)?
        .strip_prefix('/')
}

/// The fields of an object schema, in declaration order.
pub(crate) fn fields(schema: &Value) -> Vec<SchemaField> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|required| required == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| SchemaField {
            name: name.clone(),
            required: is_required(name),
            schema: schema.clone(),
        })
        .collect()
}

/// The description of a schema; empty if it has none.
pub(crate) fn description(schema: &Value) -> &str {
    schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
}
