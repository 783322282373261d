use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use scorel_home::{FormatVersion, GRANTS, StateBody, StateError, StateFile, StateKind};
use scorel_proto::ProjectId;
use serde::{Deserialize, Serialize};

/// Granted rules per project.
const MAX_RULES: usize = 10_000;

/// Permanent grants by project: `grants.json`.
///
/// Users may edit the file to revoke grants, so it is read again for every turn.
#[derive(Debug)]
pub struct Grants(StateFile<GrantsFile>);

/// `grants.json`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantsFile {
    version: FormatVersion<1>,
    /// `allow` rules in the syntax of the configuration.
    projects: BTreeMap<ProjectId, Vec<String>>,
}

impl StateBody for GrantsFile {
    const KIND: &'static StateKind = &GRANTS;
}

/// The reason why rules were not granted.
#[derive(Debug, thiserror::Error)]
enum GrantError {
    #[error(transparent)]
    File(#[from] StateError),
    #[error("more than {MAX_RULES} rules for one project: shorten grants.json")]
    TooMany,
}

impl Grants {
    pub fn new(path: PathBuf) -> Self {
        Self(StateFile::new(path))
    }

    /// The granted rules of a project. Reads the file.
    pub fn of(&self, project: ProjectId) -> Result<Vec<String>, StateError> {
        let mut file = self.0.read()?.unwrap_or_default();
        Ok(file.projects.remove(&project).unwrap_or_default())
    }

    /// Adds rules to a project, durably. On every error the file is unchanged. Blocks on the disk.
    pub fn add(&self, project: ProjectId, rules: &[String]) -> io::Result<()> {
        let added = self.0.modify(|file| {
            let known = file.projects.entry(project).or_default();
            for rule in rules {
                if !known.contains(rule) {
                    known.push(rule.clone());
                }
            }
            match known.len() > MAX_RULES {
                true => Err(GrantError::TooMany),
                false => Ok(()),
            }
        });
        added.map_err(|error| match error {
            GrantError::File(StateError::Write { source, .. }) => source,
            error => io::Error::other(error),
        })
    }
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
