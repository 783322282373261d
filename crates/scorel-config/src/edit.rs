//! Changing a configuration file: the user's for a client (`setAgent`), and each for a person (`scoreld
//! config`).
//!
//! Read → valid now? → splice the text → valid then, and nothing else changed? → replace the file. The
//! file belongs to a person, so every byte stays that the change does not need, comments above all.

mod agent_change;
mod config_file;
mod file_text;
mod hook_addition;
mod key_change;
mod server_change;
mod text_change;
mod text_table;

use scorel_proto::SetAgentParams;

use super::error::ConfigError;
use super::file_layer::{FileLayer, MAX_BYTES};
use super::key::ConfigKey;
use super::origin::DocumentOrigin;
use super::parse::parse;
use super::problems::check_change;
use super::source::ConfigSource;
use super::{Config, EditConfigError, RefusedText, check_agent_name};
use agent_change::{agent_change, agent_fields};
pub use config_file::{ConfigFile, EditedText};
use file_text::FileText;
use text_change::TextChange;

impl ConfigSource {
    /// Changes an agent in the user's file, or adds it. The change is durable and in force when this
    /// returns; a file that says so already is left alone. Blocks on the disk.
    ///
    /// # Errors
    /// On every error the file is unchanged.
    pub fn set_agent(&self, params: &SetAgentParams) -> Result<(), EditConfigError> {
        let _one_at_a_time = self.editing();
        check_agent_name(&params.agent_type).map_err(refused_name)?;
        let file = FileText::read(self.user_path(), FileLayer::User)?;
        let Some(text) = edited(&file, params)? else {
            return Ok(());
        };
        file.replace(&text)?;
        let _in_force = self.current(None);
        Ok(())
    }
}

/// The new text; `None` if the file says so already.
fn edited(file: &FileText, params: &SetAgentParams) -> Result<Option<String>, EditConfigError> {
    let (document, origin) = parse(&file.target, &file.bytes)?;
    Config::from_user(&document, &origin)?;
    let change = agent_change(params);
    let text = change.applied(&origin)?;
    if text == origin.text() {
        return Ok(None);
    }
    let after = checked(FileLayer::User, &origin, &change, text, refused_value)?;
    Ok(Some(after.text().to_owned()))
}

/// The text with the change, if the loader accepts it, and it says nothing else.
fn checked(
    layer: FileLayer,
    before: &DocumentOrigin,
    change: &TextChange,
    text: String,
    refused: impl FnOnce(ConfigError) -> EditConfigError,
) -> Result<DocumentOrigin, EditConfigError> {
    if text.len() as u64 > MAX_BYTES {
        let reason = format!("the file would be longer than {MAX_BYTES} bytes");
        return Err(EditConfigError::refused(None, reason, None));
    }
    let after = DocumentOrigin::new(before.path().to_owned(), text);
    check_change(layer, before, &after).map_err(refused)?;
    if !change.is_all_between(before.text(), after.text()) {
        return Err(EditConfigError::Unsafe {
            path: before.path().to_owned(),
            table: ConfigKey::of(&change.table).to_string(),
        });
    }
    Ok(after)
}

fn refused_name(name: RefusedText) -> EditConfigError {
    EditConfigError::refused(Some("agentType"), name.reason, None)
}

/// Why the file would be invalid. Drops the position: it refers to a text that is not written.
fn refused_value(error: ConfigError) -> EditConfigError {
    let ConfigError::Content {
        key,
        reason,
        suggestion,
        ..
    } = error
    else {
        return EditConfigError::File(error);
    };
    let key = key.as_deref().and_then(|key| key.rsplit('.').next());
    let field = key.and_then(|key| agent_fields().find(|field| *field == key));
    EditConfigError::refused(field, reason, suggestion)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_says_more_or_less_than_the_change_is_found_out() {
        let params = SetAgentParams {
            agent_type: "x".to_owned(),
            enabled: Some(Some(false)),
            ..SetAgentParams::default()
        };
        let change = agent_change(&params);
        let is_all = |text| change.is_all_between("[agents.y]\nmodel = 'm'\n", text);
        assert!(is_all("agents = {y={model='m'}, x={enabled=false}}"));
        for text in [
            "[agents.y]\nmodel = 'm'\n[agents.x]",
            "[agents.y]\nmodel = 'n'\n[agents.x]\nenabled = false",
            "[agents.x]\nenabled = false",
            "[agents.y]\nmodel = 'm'\n[agents.x]\nenabled = false\ntools = 'all'",
            "[agents.y]\nmodel = 'm'\n[agents.x]\nenabled = false\n[tools]",
        ] {
            assert!(!is_all(text), "{text}");
        }
    }
}
