//! Extensions with programs: which there are, their processes, and what they add to turns.
//!
//! In: `extension.toml` in the directories of the user and of a project. Out: tools and hooks for turns, and a
//! process each, which is started at the first call. A project's runs from the copy that was trusted.

mod listening;
mod program_calls;
mod program_means;
mod program_order;
mod program_port;
mod report;
mod source;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_extension::program::{ExtensionProgram, Manifest};
use scorel_guidance::extensions::{ExtensionReading, ExtensionState, FoundExtension};
use scorel_guidance::skills::SkillProject;
use scorel_proto::{ErrorChain, ProjectId};
use serde_json::{Value, json};

use program_port::ProgramPort;

pub(crate) use program_calls::{ProgramCaller, ProgramCalls};
pub(crate) use program_means::ProgramMeans;
pub(crate) use program_order::ProgramOrder;
pub(crate) use source::ProgramHooks;

/// The programs of extensions.
pub(crate) struct ExtensionPrograms {
    means: Arc<ProgramMeans>,
    running: Mutex<BTreeMap<ProgramKey, KnownProgram>>,
}

type ProgramKey = (Option<ProjectId>, String);

/// A program, with what it was made of: with another manifest, copy or configuration it is another program.
struct KnownProgram {
    root: PathBuf,
    manifest: Arc<Manifest>,
    config: Value,
    /// As it was at the last look.
    reading: Arc<ExtensionReading>,
    program: Arc<ExtensionProgram>,
}

/// An extension that may be used, with its program.
pub(crate) struct UsableProgram {
    pub(crate) manifest: Arc<Manifest>,
    pub(crate) program: Arc<ExtensionProgram>,
    /// True if the project brings it.
    pub(crate) is_project: bool,
}

impl fmt::Debug for ExtensionPrograms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtensionPrograms").finish_non_exhaustive()
    }
}

impl ExtensionPrograms {
    pub(crate) fn new(means: Arc<ProgramMeans>) -> Arc<Self> {
        Arc::new(Self {
            means,
            running: Mutex::default(),
        })
    }

    /// The programs that sessions of a project may use, the user's first. Others of the two are forgotten. Reads
    /// files; blocks.
    pub(crate) fn usable(&self, project: Option<&SkillProject>) -> Vec<UsableProgram> {
        let extensions = &self.means.extensions;
        let found = extensions.find(project).or_else(|error| {
            // Trust is unknown, so nothing of the project runs. The user's guards do.
            tracing::warn!(error = %ErrorChain(&error), "the extensions of a project are left out");
            extensions.find(None)
        });
        let found = found.unwrap_or_default().into_iter();
        let usable: Vec<_> = found.filter_map(|it| self.program(&it, project)).collect();
        let is_usable = |id: &str, is_project: bool| {
            let mut usable = usable.iter();
            usable.any(|it| it.is_project == is_project && it.manifest.id.as_str() == id)
        };
        self.running().retain(|(of, id), _| match of {
            None => is_usable(id, false),
            Some(of) => project.is_none_or(|it| it.id != *of) || is_usable(id, true),
        });
        usable
    }

    /// The program of an extension of the user or of the project; `None` if it has none that may be used.
    fn program(
        &self,
        found: &FoundExtension,
        project: Option<&SkillProject>,
    ) -> Option<UsableProgram> {
        let ExtensionState::Usable(root) = &found.state else {
            return None;
        };
        let manifest = Arc::clone(found.reading.manifest()?);
        let project = project.filter(|_| found.is_project).cloned();
        let key = (project.as_ref().map(|it| it.id), found.id.to_string());
        let config = self.means.extensions.settings().config.remove(&found.id);
        let config = config.unwrap_or_else(|| json!({}));
        let is_same = |it: &KnownProgram| {
            it.root == *root && Arc::ptr_eq(&it.manifest, &manifest) && it.config == config
        };
        let mut running = self.running();
        let program = match running.get(&key).filter(|it| is_same(it)) {
            Some(known) => Arc::clone(&known.program),
            None => {
                let port = ProgramPort {
                    means: Arc::clone(&self.means),
                    manifest: Arc::clone(&manifest),
                    root: root.clone(),
                    data: found.data.clone(),
                    config: config.clone(),
                    project,
                };
                Arc::new(ExtensionProgram::new(&manifest.id, Arc::new(port)))
            }
        };
        // The one before ends with the last call that uses it.
        running.insert(
            key,
            KnownProgram {
                root: root.clone(),
                manifest: Arc::clone(&manifest),
                config,
                reading: Arc::clone(&found.reading),
                program: Arc::clone(&program),
            },
        );
        Some(UsableProgram {
            manifest,
            program,
            is_project: found.is_project,
        })
    }

    /// Has the calls of programs answered. Only the first counts.
    pub(crate) fn answer_with(&self, calls: Arc<dyn ProgramCalls>) {
        let _is_first = self.means.calls.set(calls).is_ok();
    }

    /// Stops all processes and waits for their ends.
    pub(crate) async fn close(&self) {
        let programs: Vec<_> = {
            let running = self.running();
            running
                .values()
                .map(|known| Arc::clone(&known.program))
                .collect()
        };
        let closing = programs.iter().map(|program| program.process().close());
        futures_util::future::join_all(closing).await;
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<ProgramKey, KnownProgram>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
