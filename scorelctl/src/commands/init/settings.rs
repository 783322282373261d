use std::fmt;

/// An endpoint that is not built in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CustomEndpoint {
    pub(super) api: String,
    pub(super) base_url: String,
}

/// The `[model]` section of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModelSettings {
    pub(super) provider: String,
    pub(super) model: String,
    /// The endpoint of the provider, for a `[providers.NAME]` table that is not there yet.
    pub(super) endpoint: Option<CustomEndpoint>,
    /// Another address of a built-in provider.
    pub(super) base_url: Option<String>,
    /// The environment variable of the key.
    pub(super) key_variable: Option<String>,
    /// Set to write `apiKeyEnv`: the provider would not use this variable by default.
    pub(super) names_key: bool,
}

impl ModelSettings {
    /// The section as TOML.
    pub(super) fn section(&self) -> String {
        let keys = [
            ("provider", Some(&self.provider)),
            ("id", Some(&self.model)),
            ("baseUrl", self.base_url.as_ref()),
            (
                "apiKeyEnv",
                self.key_variable.as_ref().filter(|_| self.names_key),
            ),
        ];
        format!("[model]\n{}", lines(&keys))
    }

    /// The table of the endpoint as TOML.
    pub(super) fn table(&self) -> Option<String> {
        let endpoint = self.endpoint.as_ref()?;
        let keys = [
            ("api", Some(&endpoint.api)),
            ("baseUrl", Some(&endpoint.base_url)),
            ("apiKeyEnv", self.key_variable.as_ref()),
        ];
        let is_bare = |char: char| char.is_ascii_alphanumeric() || "-_".contains(char);
        let name = match &self.provider {
            name if name.chars().all(is_bare) => name.clone(),
            name => quoted(name),
        };
        Some(format!("[providers.{name}]\n{}", lines(&keys)))
    }
}

impl fmt::Display for ModelSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// The keys that have a value, a line each.
fn lines(keys: &[(&str, Option<&String>)]) -> String {
    let set = keys
        .iter()
        .filter_map(|(key, value)| Some((key, (*value)?)));
    set.map(|(key, value)| format!("{key} = {}\n", quoted(value)))
        .collect()
}

/// The text as a TOML basic string. TOML escapes as JSON does, and also requires it for DEL.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}

/// Returns whether the configuration has a `[model]` section.
pub(super) fn has_section(text: &str) -> bool {
    text.lines().filter_map(header).any(is_model)
}

/// Returns whether the configuration sets the model by keys before the first section, such as `model.id`.
pub(super) fn has_root_keys(text: &str) -> bool {
    text.lines()
        .take_while(|line| header(line).is_none())
        .filter_map(|line| line.split_once('='))
        .any(|(key, _)| is_model(key.trim()))
}

/// The configuration with its `[model]` section replaced; everything else is kept. Without one, no byte
/// before the new section changes.
pub(super) fn with_section(text: &str, section: &str) -> String {
    let mut kept = without_section(text);
    if kept.len() != text.len() {
        kept.truncate(kept.trim_end().len());
    }
    with_table(&kept, section)
}

/// The configuration with one more table at its end.
pub(super) fn with_table(text: &str, table: &str) -> String {
    if text.trim().is_empty() {
        return table.to_owned();
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}\n{table}")
}

/// The configuration without its `[model]` section. A comment right above the next section belongs to
/// that and stays.
pub(super) fn without_section(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut in_model = false;
    // The lines of a comment in the model section, if it may belong to the next.
    let mut comment = String::new();
    for line in text.split_inclusive('\n') {
        if let Some(name) = header(line) {
            in_model = is_model(name);
            if !in_model {
                kept.push_str(&comment);
            }
            comment.clear();
        }
        if !in_model {
            kept.push_str(line);
        } else if line.trim_start().starts_with('#') {
            comment.push_str(line);
        } else {
            comment.clear();
        }
    }
    kept
}

/// Returns whether a table, or a key with its sections, is about the model.
fn is_model(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default();
    first.trim().trim_matches(['"', '\'']) == "model"
}

/// The name of a table header.
fn header(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('[')?;
    let (name, _) = rest.trim_start_matches('[').split_once(']')?;
    Some(name.trim().trim_matches(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::{CustomEndpoint, ModelSettings, has_root_keys, has_section, with_section};

    fn settings() -> ModelSettings {
        ModelSettings {
            provider: "openai".to_owned(),
            model: "gpt-5-mini".to_owned(),
            endpoint: None,
            base_url: None,
            key_variable: Some("OPENAI_API_KEY".to_owned()),
            names_key: false,
        }
    }

    #[test]
    fn the_section_has_only_the_required_keys() {
        let expected = "[model]\nprovider = \"openai\"\nid = \"gpt-5-mini\"\n";
        assert_eq!(settings().section(), expected);
    }

    #[test]
    fn a_custom_endpoint_is_described_in_full() {
        let settings = ModelSettings {
            provider: "a \"lab\"\\".to_owned(),
            endpoint: Some(CustomEndpoint {
                api: "openai-completions".to_owned(),
                base_url: "https://lab.example/v1".to_owned(),
            }),
            key_variable: Some("LAB_KEY".to_owned()),
            ..settings()
        };
        let expected = "[model]\nprovider = \"a \\\"lab\\\"\\\\\"\nid = \"gpt-5-mini\"\n";
        assert_eq!(settings.section(), expected);
        let expected = "[providers.\"a \\\"lab\\\"\\\\\"]\napi = \"openai-completions\"\n\
            baseUrl = \"https://lab.example/v1\"\napiKeyEnv = \"LAB_KEY\"\n";
        assert_eq!(settings.table().as_deref(), Some(expected));
    }

    #[test]
    fn what_is_not_about_the_model_stays() {
        let old = "# mine\n[runtime]\nmaxSteps = 5 # few\n\n[model]\nid = \"x\"\n\n\
            [model.price]\ninput = 1\n[rpc]\nmaxCalls = 7\n";
        let expected = "# mine\n[runtime]\nmaxSteps = 5 # few\n\n[rpc]\nmaxCalls = 7\n\nNEW\n";
        assert_eq!(with_section(old, "NEW\n"), expected);
        assert_eq!(with_section("[model]\nid = 'x'\n", "NEW\n"), "NEW\n");
        assert_eq!(with_section("", "NEW\n"), "NEW\n");
        assert_eq!(with_section("[a]\n\n# b \r\n", "N"), "[a]\n\n# b \r\n\nN");
    }

    #[test]
    fn a_comment_right_above_the_next_section_stays() {
        let old = "[model]\nid = 'x'\n# of the model\n\n# few\n# steps\n[runtime]\nmaxSteps = 5\n";
        let expected = "# few\n# steps\n[runtime]\nmaxSteps = 5\n\nNEW\n";
        assert_eq!(with_section(old, "NEW\n"), expected);
        let old = "[model]\nid = 'x'\n# of the price\n[model.price]\ninput = 1\n";
        assert_eq!(with_section(old, "NEW\n"), "NEW\n");
    }

    #[test]
    fn a_model_is_set_by_a_section_or_by_keys_before_the_first() {
        for text in ["[model]", "a = 1\n[model.price]", "['model']"] {
            assert!(has_section(text) && !has_root_keys(text), "{text}");
        }
        for text in [
            "model.id = 'x'",
            "a = 1\nmodel={}\n[runtime]",
            "'model' . id = 1",
        ] {
            assert!(has_root_keys(text) && !has_section(text), "{text}");
        }
        for text in ["# mine", "[runtime]\nmodel = 'x'", "[models]", ""] {
            assert!(!has_section(text) && !has_root_keys(text), "{text}");
        }
    }
}
