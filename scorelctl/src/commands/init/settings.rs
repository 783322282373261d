use std::fmt;

/// The `[model]` section of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModelSettings {
    pub(super) provider: String,
    pub(super) model: String,
    /// The API of a provider that is not built in.
    pub(super) api: Option<String>,
    pub(super) base_url: Option<String>,
    /// The environment variable of the key.
    pub(super) key_variable: Option<String>,
    /// Whether to write `apiKeyEnv`: the provider would not use this variable by default.
    pub(super) names_key: bool,
}

impl ModelSettings {
    /// The section as TOML.
    pub(super) fn section(&self) -> String {
        let mut lines = vec!["[model]".to_owned()];
        let mut set = |key: &str, value: &str| lines.push(format!("{key} = {}", quoted(value)));
        if let Some(api) = &self.api {
            set("type", "custom");
            set("api", api);
        }
        set("provider", &self.provider);
        set("id", &self.model);
        if let Some(url) = &self.base_url {
            set("baseUrl", url);
        }
        if let Some(variable) = self.key_variable.as_ref().filter(|_| self.names_key) {
            set("apiKeyEnv", variable);
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

impl fmt::Display for ModelSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// The text as a TOML basic string. TOML escapes as JSON does, and also requires it for DEL.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}

/// Whether the configuration says anything of a model.
pub(super) fn has_section(text: &str) -> bool {
    let mut in_root = true;
    text.lines().any(|line| match header(line) {
        Some(name) => {
            in_root = false;
            is_model(name)
        }
        None => in_root && is_model(line.split('=').next().unwrap_or_default().trim()),
    })
}

/// The configuration with its `[model]` section replaced; everything else is kept. Without one, no byte
/// before the new section changes.
pub(super) fn with_section(text: &str, section: &str) -> String {
    let mut kept = without_section(text);
    if kept.len() != text.len() {
        kept.truncate(kept.trim_end().len());
    }
    if kept.trim().is_empty() {
        return section.to_owned();
    }
    if !kept.ends_with('\n') {
        kept.push('\n');
    }
    format!("{kept}\n{section}")
}

/// The configuration without its `[model]` section.
pub(super) fn without_section(text: &str) -> String {
    let mut in_model = false;
    let mut is_kept = |line: &&str| {
        if let Some(name) = header(line) {
            in_model = is_model(name);
        }
        !in_model
    };
    text.split_inclusive('\n')
        .filter(|line| is_kept(line))
        .collect()
}

/// Whether a table, or a key with its sections, is about the model.
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
    use super::{ModelSettings, has_section, with_section};

    fn settings() -> ModelSettings {
        ModelSettings {
            provider: "openai".to_owned(),
            model: "gpt-5-mini".to_owned(),
            api: None,
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
        let section = ModelSettings {
            provider: "a \"lab\"\\".to_owned(),
            api: Some("openai-completions".to_owned()),
            base_url: Some("https://lab.example/v1".to_owned()),
            key_variable: Some("LAB_KEY".to_owned()),
            names_key: true,
            ..settings()
        }
        .section();
        let expected = "[model]\ntype = \"custom\"\napi = \"openai-completions\"\n\
            provider = \"a \\\"lab\\\"\\\\\"\nid = \"gpt-5-mini\"\n\
            baseUrl = \"https://lab.example/v1\"\napiKeyEnv = \"LAB_KEY\"\n";
        assert_eq!(section, expected);
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
        for text in [
            "[model]",
            "a = 1\n[model.price]",
            "model.id = 'x'",
            "model={}",
            "['model']",
        ] {
            assert!(has_section(text), "{text}");
        }
        for text in ["# mine", "[runtime]\nmodel = 'x'", "[models]", ""] {
            assert!(!has_section(text), "{text}");
        }
    }
}
