use serde_json::Value;

/// `Err` holds the reason for the rejection.
pub(super) type CheckResult = Result<(), String>;

pub(super) fn ensure(holds: bool, reason: impl FnOnce() -> String) -> CheckResult {
    if holds { Ok(()) } else { Err(reason()) }
}

/// The elements of a required, non-empty list.
pub(super) fn non_empty<'a>(value: &'a Value, name: &str) -> Result<&'a [Value], String> {
    let list = value.as_array().filter(|list| !list.is_empty());
    list.map(Vec::as_slice)
        .ok_or(format!("{name}: expected a list that is not empty"))
}

/// A required text that is not blank.
pub(super) fn non_blank<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.ok_or(format!("{name}: expected text that is not empty"))
}

/// Real APIs reject unknown fields.
pub(super) fn known_fields(value: &Value, known: &[&str], name: &str) -> CheckResult {
    let fields = value
        .as_object()
        .ok_or(format!("{name}: expected an object"))?;
    let unknown = fields.keys().find(|field| !known.contains(&field.as_str()));
    ensure(unknown.is_none(), || {
        format!(
            "{name}: unknown field {:?}",
            unknown.map_or("", |name| name)
        )
    })
}
