//! Renders JSON Schemas as Markdown.

use serde_json::Value;

use crate::catalogue::{SchemaField, description, fields, reference};

/// The name of the schema that accepts everything.
const ANYTHING: &str = "any JSON";

/// A type as inline text, linked to its section.
pub(super) fn type_text(schema: &Value) -> String {
    if let Some(name) = named(schema) {
        return link(name);
    }
    if let Some(parts) = schema.get("anyOf").and_then(Value::as_array) {
        let parts: Vec<String> = parts.iter().map(type_text).collect();
        return parts.join(" or ");
    }
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    match schema.get("type") {
        Some(Value::String(name)) => simple(name, schema),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            let names: Vec<String> = names.map(|name| simple(name, schema)).collect();
            names.join(" or ")
        }
        _ => ANYTHING.to_owned(),
    }
}

/// The definition that a schema refers to, directly or wrapped to add a description.
fn named(schema: &Value) -> Option<&str> {
    let all = || match schema.get("allOf")?.as_array()?.as_slice() {
        [one] => reference(one),
        _ => None,
    };
    reference(schema).or_else(all)
}

fn link(name: &str) -> String {
    let (anchor, text) = match name {
        "Event" => ("events".to_owned(), "event".to_owned()),
        "ErrorCode" => ("error-codes".to_owned(), name.to_owned()),
        _ => (name.to_lowercase(), name.to_owned()),
    };
    format!("[{text}](#{anchor})")
}

fn simple(name: &str, schema: &Value) -> String {
    match name {
        "array" => {
            let items = schema
                .get("items")
                .map_or_else(|| ANYTHING.to_owned(), type_text);
            let one = schema.get("maxItems").and_then(Value::as_u64) == Some(1);
            if one {
                format!("array of one {items}")
            } else {
                format!("array of {items}")
            }
        }
        "integer" => {
            let bound = |key| schema.get(key).and_then(Value::as_u64);
            match (bound("minimum"), bound("maximum")) {
                (Some(minimum), Some(maximum)) => format!("integer, {minimum} to {maximum}"),
                _ => "integer".to_owned(),
            }
        }
        "null" => "`null`".to_owned(),
        other => other.to_owned(),
    }
}

/// A table of fields or parameters.
pub(super) fn field_table(kind: &str, fields: &[SchemaField]) -> String {
    let mut table = vec![
        format!("| {kind} | type | required | meaning |"),
        "|---|---|---|---|".into(),
    ];
    table.extend(fields.iter().map(|field| {
        let SchemaField {
            name,
            required,
            schema,
        } = field;
        let required = if *required { "yes" } else { "" };
        let meaning = cell(description(schema));
        format!(
            "| `{name}` | {} | {required} | {meaning} |",
            type_text(schema)
        )
    }));
    table.push(String::new());
    table.join("\n")
}

/// Text escaped for a table cell.
pub(super) fn cell(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}

/// The section of a type: a table of values, its variants under headings, or a table of fields.
pub(super) fn sections(schema: &Value, heading: &str) -> String {
    if let Some(variants) = schema.get("oneOf").and_then(Value::as_array) {
        return if variants
            .iter()
            .all(|variant| variant.get("const").is_some())
        {
            values(variants)
        } else {
            let variants = variants.iter().map(|one| variant(one, heading));
            variants.collect::<Vec<_>>().join("\n")
        };
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        return format!("A string that matches `{pattern}`.\n");
    }
    let fields = fields(schema);
    if fields.is_empty() {
        return format!("{}.\n", capitalised(&type_text(schema)));
    }
    field_table("field", &fields)
}

fn values(variants: &[Value]) -> String {
    let mut table = vec!["| value | meaning |".to_owned(), "|---|---|".to_owned()];
    table.extend(variants.iter().map(|variant| {
        format!(
            "| `{}` | {} |",
            variant["const"],
            cell(description(variant))
        )
    }));
    table.push(String::new());
    table.join("\n")
}

/// One variant of a tagged union, under a heading with its tag.
fn variant(variant: &Value, heading: &str) -> String {
    let fields = fields(variant);
    let tag = fields.iter().find_map(|field| {
        let value = field.schema.get("const")?.as_str()?;
        Some(format!("`{}: \"{value}\"`", field.name))
    });
    let title = tag.unwrap_or_else(|| type_text(variant));
    let mut text = format!("{heading} {title}\n\n{}\n", description(variant));
    if let Some(name) = named(variant) {
        text.push_str(&format!("\nWith the fields of {}.\n", link(name)));
    }
    let others: Vec<SchemaField> = fields
        .into_iter()
        .filter(|field| field.schema.get("const").is_none())
        .collect();
    if !others.is_empty() {
        text.push('\n');
        text.push_str(&field_table("field", &others));
    }
    text
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}
