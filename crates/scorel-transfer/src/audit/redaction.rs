use serde_json::{Value, json};

/// A shorter value would be part of many a word.
const MIN_LENGTH: usize = 8;

/// The secrets that a file must not have, with their names.
#[derive(Default)]
pub struct Redaction {
    /// The longest first: one may be the beginning of another.
    secrets: Vec<(String, String)>,
}

impl std::fmt::Debug for Redaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redaction({})", self.secrets.len())
    }
}

impl Redaction {
    /// Names and values. A value also counts as JSON writes it: arguments of tools are JSON within a text.
    pub fn of(secrets: impl IntoIterator<Item = (String, String)>) -> Self {
        let both = secrets.into_iter().flat_map(|(name, value)| {
            let escaped = json!(value).to_string();
            let escaped = escaped[1..escaped.len() - 1].to_owned();
            [(name.clone(), value), (name, escaped)]
        });
        let mut secrets: Vec<(String, String)> = both.collect();
        secrets.retain(|(_, value)| value.len() >= MIN_LENGTH);
        secrets.sort_by(|(_, one), (_, other)| (other.len(), other).cmp(&(one.len(), one)));
        secrets.dedup_by(|(_, one), (_, other)| one == other);
        Self { secrets }
    }

    /// Cuts the secrets out of all texts of a value, names of fields too.
    pub fn clean(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.clean_text(text),
            Value::Array(values) => values.iter_mut().for_each(|it| self.clean(it)),
            Value::Object(fields) => {
                let all = std::mem::take(fields);
                fields.extend(all.into_iter().map(|(mut name, mut value)| {
                    self.clean_text(&mut name);
                    self.clean(&mut value);
                    (name, value)
                }));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn clean_text(&self, text: &mut String) {
        for (name, secret) in &self.secrets {
            if text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), &format!("[secret {name}]"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Redaction;

    #[test]
    fn secrets_are_cut_out_of_every_text() {
        let secret = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let redaction = Redaction::of([
            secret("KEY", "sk-12345678"),
            secret("LONGER", "sk-12345678-9"),
            secret("QUOTED", "a\"b\\c-12345"),
            secret("SHORT", "user"),
        ]);
        let mut line = json!({
            "role": "user",
            "sk-12345678": ["is sk-12345678.", 1, null],
            "arguments": json!({"key": "a\"b\\c-12345"}).to_string(),
            "longer": {"it": "sk-12345678-9"},
        });
        redaction.clean(&mut line);
        let expected = json!({
            "role": "user",
            "[secret KEY]": ["is [secret KEY].", 1, null],
            "arguments": "{\"key\":\"[secret QUOTED]\"}",
            "longer": {"it": "[secret LONGER]"},
        });
        assert_eq!(line, expected);
        assert_eq!(format!("{redaction:?}"), "Redaction(4)");
    }
}
