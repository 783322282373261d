use std::collections::{BTreeMap, HashSet};

use scorel_proto::{Project, ProjectId, QuotaPolicy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::state_file::{FormatVersion, PROJECTS, StateBody, StateKind};

/// `projects.json`. Unknown fields are kept, for later versions of the program.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ProjectsFile {
    version: FormatVersion<1>,
    pub projects: Vec<StoredProject>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// One entry, with its unknown fields.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredProject {
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
    pub(super) fn stored(&self, id: ProjectId) -> Option<&StoredProject> {
        let mut projects = self.projects.iter();
        projects.find(|known| known.project.project_id == id)
    }

    pub(super) fn stored_mut(&mut self, id: ProjectId) -> Option<&mut StoredProject> {
        let mut projects = self.projects.iter_mut();
        projects.find(|known| known.project.project_id == id)
    }
}

impl StateBody for ProjectsFile {
    const KIND: &'static StateKind = &PROJECTS;

    fn check(&self) -> Result<(), String> {
        let mut seen = HashSet::new();
        let mut ids = self.projects.iter().map(|known| known.project.project_id);
        match ids.find(|id| !seen.insert(*id)) {
            Some(id) => Err(format!("project {id} is in it twice")),
            None => Ok(()),
        }
    }
}
