use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;

use scorel_journal::{FileStorage, replace_file};
use scorel_proto::{Project, QuotaPolicy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::OpenProjectsError;
use crate::file_version::file_version;
use crate::trusted_file::{self, Trust};

/// The file version that this program writes.
const VERSION: u32 = 1;

/// Well above what `MAX_PROJECTS` entries take.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// `projects.json`. Unknown fields are kept, for later versions of the program.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ProjectsFile {
    version: u32,
    pub projects: Vec<StoredProject>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// One entry, with its unknown fields.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredProject {
    #[serde(flatten)]
    pub project: Project,
    /// The policies of its agents, by their names; none of them is empty.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub quotas: BTreeMap<String, QuotaPolicy>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl StoredProject {
    pub(super) fn new(project: Project) -> Self {
        Self {
            project,
            quotas: BTreeMap::new(),
            other: Map::new(),
        }
    }
}

impl ProjectsFile {
    fn empty() -> Self {
        Self {
            version: VERSION,
            projects: Vec::new(),
            other: Map::new(),
        }
    }

    pub(super) fn read(path: &Path) -> Result<Self, OpenProjectsError> {
        let Some((_, bytes)) = trusted_file::read(path, MAX_BYTES, Trust::Home)? else {
            return Ok(Self::empty());
        };
        let damaged = |reason| OpenProjectsError::Damaged {
            path: path.to_owned(),
            reason,
        };
        let json = |error: serde_json::Error| damaged(error.to_string());
        let version = file_version(&bytes).map_err(json)?;
        if version > VERSION {
            return Err(OpenProjectsError::Newer {
                path: path.to_owned(),
                version,
            });
        }
        let file: Self = serde_json::from_slice(&bytes).map_err(json)?;
        file.check_unique().map_err(damaged)?;
        Ok(file)
    }

    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        replace_file(&FileStorage, path, &text)
    }

    fn check_unique(&self) -> Result<(), String> {
        let mut seen = HashSet::new();
        let twice = self
            .projects
            .iter()
            .find(|known| !seen.insert(known.project.project_id));
        twice.map_or(Ok(()), |known| {
            Err(format!(
                "project {} is in it twice",
                known.project.project_id
            ))
        })
    }
}
