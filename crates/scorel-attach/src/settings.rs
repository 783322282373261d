//! The section `[attach]` of the client's own configuration.

use std::io;
use std::path::{Path, PathBuf};

use scorel_client::read_home_file;
use scorel_proto::WhileRunning;
use serde::Deserialize;

/// The section, with its defaults.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AttachSettings {
    /// The treatment of a message that Enter sends while a turn runs.
    pub while_running: SendAs,
    /// Lines only, as with `--plain`.
    pub plain: bool,
}

/// The kind of message that Enter sends while a turn runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SendAs {
    /// A message of its own, after the turn.
    #[default]
    FollowUp,
    /// A word to the running turn.
    Steer,
}

impl From<SendAs> for WhileRunning {
    fn from(kind: SendAs) -> Self {
        match kind {
            SendAs::FollowUp => Self::FollowUp,
            SendAs::Steer => Self::Steer,
        }
    }
}

/// The reason for which the section cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is not TOML, or the section has something that it cannot have.
    #[error("{}:{line}: {message}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The problem.
        message: String,
    },
}

#[derive(Deserialize)]
struct ConfigFile {
    #[serde(default)]
    attach: AttachSettings,
}

impl AttachSettings {
    /// Reads the section from the configuration in `home`. Without a file, the defaults apply.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or the section is invalid. Other sections are not looked at.
    pub fn load(home: &Path) -> Result<Self, SettingsError> {
        let path = home.join("config.toml");
        let bytes = match read_home_file(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(SettingsError::File { path, source }),
        };
        Self::parse(&String::from_utf8_lossy(&bytes)).map_err(|(line, message)| {
            SettingsError::Invalid {
                path,
                line,
                message,
            }
        })
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let file: Result<ConfigFile, toml::de::Error> = toml::from_str(text);
        file.map(|file| file.attach).map_err(|error| {
            let before = error.span().map_or(0, |span| span.start).min(text.len());
            let line = text.as_bytes()[..before]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count()
                + 1;
            (line, error.message().trim().replace('\n', " "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_section_is_looked_at() {
        let parse = AttachSettings::parse;
        assert_eq!(
            parse("[model]\nid = \"x\"\n"),
            Ok(AttachSettings::default())
        );
        let steer = parse("[attach]\nwhileRunning = \"steer\"\nplain = true\n").expect("valid");
        assert_eq!((steer.while_running, steer.plain), (SendAs::Steer, true));
        let (line, message) =
            parse("[model]\nid = \"x\"\n[attach]\nwhileRuning = 1\n").expect_err("a typo");
        assert_eq!(line, 4);
        assert!(
            message.contains("whileRuning") && message.contains("whileRunning"),
            "{message}"
        );
        let (line, message) =
            parse("[attach]\nwhileRunning = \"later\"\n").expect_err("no such value");
        assert!(line == 2 && message.contains("steer"), "{message}");
    }
}
