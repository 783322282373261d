use scorel_provider::check_model_id;

/// The longest name of an agent, or of a runner.
const MAX_NAME: usize = 64;

const MAX_DISPLAY_NAME: usize = 1024;
const MAX_DESCRIPTION: usize = 4 * 1024;
const MAX_CAPABILITIES: usize = 64;
const MAX_CAPABILITY: usize = 1024;
const MAX_PROMPT: usize = 64 * 1024;

/// The texts of an agent. They are bounded because each model that may give it tasks gets some of them
/// in every turn.
#[derive(Debug, Clone, Copy)]
pub struct AgentTexts<'a> {
    pub name: &'a str,
    pub display_name: Option<&'a str>,
    pub description: Option<&'a str>,
    pub capabilities: Option<&'a [String]>,
    pub runner: Option<&'a str>,
    pub model: Option<&'a str>,
    pub prompt: Option<&'a str>,
}

/// A text that an agent cannot have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedText {
    /// Its key; `None` for the agent's name.
    pub key: Option<&'static str>,
    pub reason: String,
}

impl AgentTexts<'_> {
    pub fn check(&self) -> Result<(), RefusedText> {
        check_agent_name(self.name)?;
        check_length("displayName", self.display_name, MAX_DISPLAY_NAME)?;
        check_length("description", self.description, MAX_DESCRIPTION)?;
        check_length("runner", self.runner, MAX_NAME)?;
        check_model_id(self.model.unwrap_or_default())
            .map_err(|error| refused("model", error.to_string()))?;
        check_length("prompt", self.prompt, MAX_PROMPT)?;
        let capabilities = self.capabilities.unwrap_or_default();
        if capabilities.len() > MAX_CAPABILITIES {
            let count = capabilities.len();
            let reason = format!("{count} entries; at most {MAX_CAPABILITIES} are allowed");
            return Err(refused("capabilities", reason));
        }
        capabilities
            .iter()
            .try_for_each(|one| check_length("capabilities", Some(one), MAX_CAPABILITY))
    }
}

/// A name is typed at the terminal, and stands in records, messages and permission rules.
pub fn check_agent_name(name: &str) -> Result<(), RefusedText> {
    let usual = |char: char| char.is_ascii_alphanumeric() || "-_".contains(char);
    if (1..=MAX_NAME).contains(&name.len()) && name.chars().all(usual) {
        return Ok(());
    }
    let reason = format!(
        "the name of an agent has letters, digits, `-` and `_`, and 1 to {MAX_NAME} characters"
    );
    Err(RefusedText { key: None, reason })
}

fn check_length(key: &'static str, text: Option<&str>, max: usize) -> Result<(), RefusedText> {
    match text.map_or(0, str::len) {
        len if len > max => {
            let reason = format!("{len} bytes long; at most {max} are allowed");
            Err(refused(key, reason))
        }
        _ => Ok(()),
    }
}

fn refused(key: &'static str, reason: String) -> RefusedText {
    let key = Some(key);
    RefusedText { key, reason }
}
