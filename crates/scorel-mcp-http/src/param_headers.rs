use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use reqwest::header::{HeaderMap, HeaderName};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::header_value::header_value;

/// The key of a schema by which a server asks for a parameter in a header.
const KEY: &str = "x-mcp-header";

/// A parameter of a tool that a header repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ParamHeader {
    name: HeaderName,
    /// The properties that lead to it.
    path: Vec<String>,
}

/// The headers that repeat parameters, by tools.
#[derive(Debug, Default)]
pub(crate) struct ParamHeaders(Mutex<BTreeMap<String, Vec<ParamHeader>>>);

impl ParamHeaders {
    /// Takes those that a tool's schema asks for.
    ///
    /// # Errors
    /// A sentence about a schema that asks for what no header can have.
    pub(crate) fn learn(&self, tool: &str, schema: &Value) -> Result<(), String> {
        let mut found = Vec::new();
        find(schema, &mut Vec::new(), &mut found)?;
        let mut names = BTreeSet::new();
        if !found.iter().all(|it| names.insert(it.name.as_str())) {
            return Err(format!("two parameters have one `{KEY}`"));
        }
        // One that is no property would be missed by whoever compares.
        if count(schema) != found.len() {
            return Err(format!("an `{KEY}` is only for a property"));
        }
        let mut all = self.all();
        match found.is_empty() {
            true => drop(all.remove(tool)),
            false => drop(all.insert(tool.to_owned(), found)),
        }
        Ok(())
    }

    /// Adds those of a call.
    pub(crate) fn add(&self, tool: &str, arguments: Option<&RawValue>, headers: &mut HeaderMap) {
        let all = self.all();
        let (Some(wanted), Some(arguments)) = (all.get(tool), arguments) else {
            return;
        };
        let arguments: Value = serde_json::from_str(arguments.get()).unwrap_or_default();
        for header in wanted {
            let step = |at: Option<&'_ Value>, key: &String| at.and_then(|at| at.get(key)).cloned();
            let mut at = Some(arguments.clone());
            for key in &header.path {
                at = step(at.as_ref(), key);
            }
            let text = match at {
                Some(Value::String(text)) => text,
                Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
                _ => continue,
            };
            headers.insert(header.name.clone(), header_value(&text));
        }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Vec<ParamHeader>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn find(
    schema: &Value,
    path: &mut Vec<String>,
    found: &mut Vec<ParamHeader>,
) -> Result<(), String> {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return Ok(());
    };
    for (key, property) in properties {
        path.push(key.clone());
        if let Some(name) = property.get(KEY) {
            found.push(ParamHeader {
                name: checked(name, property)?,
                path: path.clone(),
            });
        }
        find(property, path, found)?;
        path.pop();
    }
    Ok(())
}

fn checked(name: &Value, property: &Value) -> Result<HeaderName, String> {
    let kind = property["type"].as_str().unwrap_or_default();
    if !["string", "integer", "boolean"].contains(&kind) {
        return Err(format!(
            "an `{KEY}` is for a text, an integer or a truth value"
        ));
    }
    let name = name.as_str().filter(|it| !it.is_empty());
    let name = name.and_then(|it| HeaderName::try_from(format!("mcp-param-{it}")).ok());
    name.ok_or_else(|| format!("an `{KEY}` is not the name of a header"))
}

/// The number of times that the key stands anywhere in a schema.
fn count(schema: &Value) -> usize {
    match schema {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(entries) => {
            let inner = entries.iter().map(|(key, it)| match key.as_str() {
                // A property of this name is none of it.
                "properties" => it.as_object().map_or(0, |it| it.values().map(count).sum()),
                KEY => 1,
                _ => count(it),
            });
            inner.sum()
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn learnt(properties: &Value) -> Result<ParamHeaders, String> {
        let headers = ParamHeaders::default();
        let schema = json!({ "type": "object", "properties": properties });
        headers.learn("sql", &schema).map(|()| headers)
    }

    #[test]
    fn parameters_are_repeated_where_they_are_given() {
        let inner = json!({ "tenant": { "type": "integer", KEY: "Tenant" } });
        let known = learnt(&json!({
            "region": { "type": "string", KEY: "Region" },
            "deep": { "type": "object", "properties": inner },
            "dry": { "type": "boolean", KEY: "Dry" },
        }));
        let arguments = r#"{"region": "ä", "deep": {"tenant": 7}, "dry": null}"#;
        let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
        let mut headers = HeaderMap::new();
        known.unwrap().add("sql", Some(&arguments), &mut headers);
        assert_eq!(headers["mcp-param-region"], "=?base64?w6Q=?=");
        assert_eq!(headers["mcp-param-tenant"], "7");
        assert_eq!(headers.len(), 2);
    }

    #[test]
    fn what_no_header_can_have_is_refused() {
        for properties in [
            json!({ "a": { "type": "number", KEY: "A" } }),
            json!({ "a": { "type": "string", KEY: "" } }),
            json!({ "a": { "type": "string", KEY: "a b" } }),
            json!({ "a": { "type": "string", KEY: "A" }, "b": { "type": "string", KEY: "a" } }),
            json!({ "a": { "type": "array", "items": { "type": "string", KEY: "A" } } }),
        ] {
            assert!(learnt(&properties).is_err(), "{properties}");
        }
    }
}
