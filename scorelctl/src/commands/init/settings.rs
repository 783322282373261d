use std::fmt;

/// What is written into the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) provider: String,
    pub(super) model: String,
    /// What an endpoint speaks that the daemon does not know by name.
    pub(super) api: Option<String>,
    pub(super) base_url: Option<String>,
    /// The variable that holds the key.
    pub(super) key_variable: Option<String>,
    /// Whether the variable has to be named, because it is not the one that is used anyway.
    pub(super) names_key: bool,
}

impl Settings {
    /// The section of the configuration.
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

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// The text as a basic string of TOML, which escapes as JSON does, and one character more.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}

/// The text of a configuration with its model replaced; everything else stays as it is.
pub(super) fn with_section(text: &str, section: &str) -> String {
    let mut kept = String::new();
    let mut in_model = false;
    for line in text.split_inclusive('\n') {
        if let Some(name) = header(line) {
            in_model = name == "model" || name.starts_with("model.");
        }
        if !in_model {
            kept.push_str(line);
        }
    }
    let kept = kept.trim_end();
    if kept.is_empty() {
        section.to_owned()
    } else {
        format!("{kept}\n\n{section}")
    }
}

/// The name in a line that begins a section.
fn header(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('[')?;
    let (name, _) = rest.trim_start_matches('[').split_once(']')?;
    Some(name.trim().trim_matches(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::{Settings, with_section};

    fn settings() -> Settings {
        Settings {
            provider: "openai".to_owned(),
            model: "gpt-5-mini".to_owned(),
            api: None,
            base_url: None,
            key_variable: Some("OPENAI_API_KEY".to_owned()),
            names_key: false,
        }
    }

    #[test]
    fn the_section_says_no_more_than_it_must() {
        let expected = "[model]\nprovider = \"openai\"\nid = \"gpt-5-mini\"\n";
        assert_eq!(settings().section(), expected);
    }

    #[test]
    fn an_endpoint_of_ones_own_is_described_in_full() {
        let section = Settings {
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
    }
}
