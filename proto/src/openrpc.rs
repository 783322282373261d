use serde_json::{Map, Value, json};

use crate::catalogue::{Catalogue, MethodSchemas, NotificationSchemas, SchemaField, description};
use crate::{ErrorCode, ErrorData, ProtocolRange, RpcError};

/// The version of the OpenRPC specification.
const OPENRPC: &str = "1.3.2";

/// The OpenRPC document of the protocol, as `rpc.discover` returns it. `version` is that of the
/// daemon.
///
/// Every type is a JSON Schema under `components`, valid in draft 7 and in 2020-12. Extensions to
/// OpenRPC: `x-access` is the permission that a method requires, `x-group` its section in the
/// reference, `x-notifications` lists what subscriptions send, and `x-error-data` is the type of the `data` of an error.
pub fn openrpc_document(version: &str) -> Value {
    let catalogue = Catalogue::new();
    let methods: Vec<Value> = catalogue.methods.iter().map(method).collect();
    let notifications: Vec<Value> = catalogue.notifications.iter().map(notification).collect();
    json!({
        "openrpc": OPENRPC,
        "info": {
            "title": "Scorel",
            "version": version,
            "description": "The methods of scoreld, a local daemon that owns coding-agent sessions.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "methods": methods,
        "components": { "schemas": catalogue.definitions, "errors": errors() },
        "x-protocol": ProtocolRange::SUPPORTED,
        "x-notifications": notifications,
        "x-error-data": { "$ref": "#/components/schemas/ErrorData" },
    })
}

fn method(method: &MethodSchemas) -> Value {
    let info = method.info;
    let params: Vec<Value> = method.params.iter().map(param).collect();
    let errors: Vec<Value> = info
        .errors
        .iter()
        .map(|code| error_reference(*code))
        .collect();
    json!({
        "name": info.name,
        "summary": info.summary_line(),
        "tags": [{ "name": info.group }],
        "paramStructure": "either",
        "params": params,
        "result": { "name": "result", "schema": method.result },
        "errors": errors,
        "x-access": info.access,
        "x-group": info.group,
    })
}

fn param(field: &SchemaField) -> Value {
    json!({
        "name": field.name,
        "description": description(&field.schema),
        "required": field.required,
        "schema": field.schema,
    })
}

fn notification(notification: &NotificationSchemas) -> Value {
    json!({
        "name": notification.name,
        "subscribe": notification.subscribe,
        "unsubscribe": notification.unsubscribe,
        "params": [
            { "name": "subscription", "required": true, "schema": { "type": "string" } },
            { "name": "result", "required": true, "schema": { "anyOf": notification.results } },
        ],
    })
}

fn error_reference(code: ErrorCode) -> Value {
    json!({ "$ref": format!("#/components/errors/{code}") })
}

fn errors() -> Map<String, Value> {
    let entry = |code: &ErrorCode| {
        let data: ErrorData = RpcError::new(*code, "").data();
        let error = json!({ "code": code.number(), "message": code.meaning(), "data": data });
        (code.name().to_owned(), error)
    };
    ErrorCode::ALL.iter().map(entry).collect()
}
