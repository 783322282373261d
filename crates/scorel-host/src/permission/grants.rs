use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use scorel_home::trusted_file::{self, FileProblem, Trust};
use scorel_journal::{FileStorage, replace_file};
use scorel_proto::ProjectId;
use serde::{Deserialize, Serialize};

/// The file version that this program writes.
const VERSION: u32 = 1;

/// Upper bound of the file.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Granted rules per project.
const MAX_RULES: usize = 10_000;

/// Permanent grants by project: `grants.json`.
///
/// Users may edit the file to revoke grants, so it is read again for every turn.
#[derive(Debug)]
pub(crate) struct Grants {
    path: PathBuf,
    /// Serializes read-modify-write of the file.
    changing: Mutex<()>,
}

/// `grants.json`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantsFile {
    version: u32,
    /// `allow` rules in the syntax of the configuration.
    projects: BTreeMap<ProjectId, Vec<String>>,
}

/// Why the grants cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenGrantsError {
    #[error(transparent)]
    Problem(#[from] FileProblem),
    #[error("{path} is damaged: {reason}; fix it, or remove it to be asked again")]
    Damaged { path: PathBuf, reason: String },
}

impl Grants {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            changing: Mutex::default(),
        }
    }

    /// The granted rules of a project. Reads the file.
    pub(crate) fn of(&self, project: ProjectId) -> Result<Vec<String>, OpenGrantsError> {
        let mut file = read(&self.path)?;
        Ok(file.projects.remove(&project).unwrap_or_default())
    }

    /// Adds rules to a project, durably. On every error the file is unchanged. Blocks on the disk.
    pub(crate) fn add(&self, project: ProjectId, rules: &[String]) -> io::Result<()> {
        let _changing: MutexGuard<'_, ()> =
            self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = read(&self.path).map_err(io::Error::other)?;
        let known = file.projects.entry(project).or_default();
        for rule in rules {
            if !known.contains(rule) {
                known.push(rule.clone());
            }
        }
        if known.len() > MAX_RULES {
            let text = format!("more than {MAX_RULES} rules for one project: shorten grants.json");
            return Err(io::Error::other(text));
        }
        let mut text = serde_json::to_vec_pretty(&file)?;
        text.push(b'\n');
        replace_file(&FileStorage, &self.path, &text)
    }
}

fn read(path: &Path) -> Result<GrantsFile, OpenGrantsError> {
    let empty = GrantsFile {
        version: VERSION,
        ..GrantsFile::default()
    };
    let Some((_, bytes)) = trusted_file::read(path, MAX_BYTES, Trust::Home)? else {
        return Ok(empty);
    };
    let damaged = |reason: String| OpenGrantsError::Damaged {
        path: path.to_owned(),
        reason,
    };
    let file: GrantsFile =
        serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    if file.version != VERSION {
        return Err(damaged(format!("its version is {}", file.version)));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn rules(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_grant_holds_in_the_next_daemon_and_for_its_project_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("grants.json");
        let (one, other) = (ProjectId::generate(), ProjectId::generate());
        let grants = Grants::new(path.clone());
        assert_eq!(grants.of(one).unwrap(), Vec::<String>::new());
        grants
            .add(one, &rules(&["Bash(make)", "Bash(ls)"]))
            .unwrap();
        grants.add(one, &rules(&["Bash(make)"])).unwrap();
        let grants = Grants::new(path);
        assert_eq!(grants.of(one).unwrap(), ["Bash(make)", "Bash(ls)"]);
        assert_eq!(grants.of(other).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_file_that_is_not_understood_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("grants.json");
        for text in [
            "{",
            r#"{"version":2,"projects":{}}"#,
            r#"{"version":1,"rules":[]}"#,
        ] {
            fs::write(&path, text).unwrap();
            let grants = Grants::new(path.clone());
            let project = ProjectId::generate();
            assert!(grants.of(project).is_err(), "{text}");
            assert!(grants.add(project, &rules(&["Bash"])).is_err(), "{text}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}
