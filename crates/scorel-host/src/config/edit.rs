//! Changing the user's file for a client: `setAgent`.
//!
//! Read → valid now? → splice the text → valid then, and nothing else changed? → replace the file. The
//! file belongs to a person, so every byte stays that the change does not need, comments above all.

mod agent_change;
mod agent_table;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use scorel_journal::{FileStorage, replace_file};
use scorel_proto::SetAgentParams;

use super::error::ConfigError;
use super::origin::DocumentOrigin;
use super::parse::parse;
use super::source::{ConfigSource, MAX_BYTES};
use super::{Config, EditConfigError, RefusedText, check_agent_name};
use crate::trusted_file::{self, Stamp, Trust};
use agent_change::AgentChange;

/// The parameters of `setAgent` that a value of the file can be at fault for.
const FIELDS: [&str; 12] = [
    "displayName",
    "description",
    "capabilities",
    "runner",
    "model",
    "thinkingLevel",
    "tools",
    "prompt",
    "workspace",
    "defaultQuota",
    "enabled",
    "agentType",
];

/// What precedes the text of some editors.
const BOM: &str = "\u{feff}";

/// The file as it was read.
struct UserFile {
    /// Where it is, links followed.
    target: PathBuf,
    /// `None` if it does not exist.
    stamp: Option<Stamp>,
    bytes: Vec<u8>,
}

impl ConfigSource {
    /// Changes an agent in the user's file, or adds it. The change is durable and in force when this
    /// returns; a file that says so already is left alone. Blocks on the disk.
    ///
    /// # Errors
    /// On every error the file is unchanged.
    pub(crate) fn set_agent(&self, params: &SetAgentParams) -> Result<(), EditConfigError> {
        let _one_at_a_time = self.editing();
        check_agent_name(&params.agent_type).map_err(refused_name)?;
        let file = UserFile::read(self.user_path())?;
        let Some(text) = edited(&file, params)? else {
            return Ok(());
        };
        file.replace(&text)?;
        let _in_force = self.current(None);
        Ok(())
    }
}

impl UserFile {
    fn read(path: &Path) -> Result<Self, EditConfigError> {
        let read = trusted_file::read(path, MAX_BYTES, Trust::Ours).map_err(ConfigError::from)?;
        let (stamp, bytes) = match read {
            Some((stamp, bytes)) => (Some(stamp), bytes),
            None => (None, Vec::new()),
        };
        Ok(Self {
            target: target(path)?,
            stamp,
            bytes,
        })
    }

    /// Replaces the file, unless another program has done so meanwhile.
    fn replace(&self, text: &str) -> Result<(), EditConfigError> {
        let path = || self.target.clone();
        let write = |source| EditConfigError::Write {
            path: path(),
            source,
        };
        if Stamp::current(&self.target).map_err(write)? != self.stamp {
            return Err(EditConfigError::Changed { path: path() });
        }
        replace_file(&FileStorage, &self.target, text.as_bytes()).map_err(write)
    }
}

/// The new text; `None` if the file says so already.
fn edited(file: &UserFile, params: &SetAgentParams) -> Result<Option<String>, EditConfigError> {
    let (document, origin) = parse(&file.target, &file.bytes)?;
    Config::from_user(&document, &origin)?;
    let change = AgentChange::new(params);
    let text = change.applied(&origin)?;
    if text == origin.text() {
        return Ok(None);
    }
    if text.len() as u64 > MAX_BYTES {
        let reason = format!("the file would be longer than {MAX_BYTES} bytes");
        return Err(refused(None, reason, None));
    }
    let (changed, new_origin) = parse(&file.target, text.as_bytes()).map_err(refused_value)?;
    Config::from_user(&changed, &new_origin).map_err(refused_value)?;
    if !change.is_all_between(&origin, &new_origin) {
        return Err(EditConfigError::Unsafe {
            path: file.target.clone(),
            agent_type: params.agent_type.clone(),
        });
    }
    let mark = if file.bytes.starts_with(BOM.as_bytes()) {
        BOM
    } else {
        ""
    };
    Ok(Some(format!("{mark}{text}")))
}

/// Where the file is: a symbolic link stays one.
fn target(path: &Path) -> Result<PathBuf, EditConfigError> {
    let write = |source| EditConfigError::Write {
        path: path.to_owned(),
        source,
    };
    match fs::canonicalize(path) {
        Ok(target) => Ok(target),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(write(error)),
        Err(_) if fs::symlink_metadata(path).is_ok() => Err(EditConfigError::BrokenLink {
            path: path.to_owned(),
        }),
        Err(_) => Ok(path.to_owned()),
    }
}

fn refused_name(name: RefusedText) -> EditConfigError {
    refused(Some("agentType"), name.reason, None)
}

/// Why the file would be invalid. The place in a text that is not written would help nobody.
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
    let field = key.and_then(|key| FIELDS.into_iter().find(|field| *field == key));
    refused(field, reason, suggestion)
}

fn refused(
    field: Option<&'static str>,
    reason: String,
    suggestion: Option<String>,
) -> EditConfigError {
    EditConfigError::Refused {
        field,
        reason,
        suggestion,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_by_another_program_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        for (before, theirs) in [(None, "# a"), (Some("# a"), "# b"), (Some("# b"), "# bc")] {
            if let Some(text) = before {
                fs::write(&path, text).unwrap();
            }
            let file = UserFile::read(&path).unwrap();
            let other = dir.path().join("other");
            fs::write(&other, theirs).unwrap();
            fs::rename(&other, &path).unwrap();
            let refused = file.replace("# ours").unwrap_err();
            assert!(matches!(refused, EditConfigError::Changed { .. }));
            assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
        }
        UserFile::read(&path).unwrap().replace("# ours").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "# ours");
    }

    #[test]
    fn a_text_that_says_more_or_less_than_the_change_is_found_out() {
        let origin = |text: &str| DocumentOrigin::new(PathBuf::from("f"), text.to_owned());
        let params = SetAgentParams {
            agent_type: "x".to_owned(),
            enabled: Some(false),
            ..SetAgentParams::default()
        };
        let change = AgentChange::new(&params);
        let before = origin("[agents.y]\nmodel = 'm'\n");
        let is_all = |text| change.is_all_between(&before, &origin(text));
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
