//! Extensions with programs: which there are, their processes, and what they add to turns.
//!
//! In: `extension.toml` in the directories of the user and of a project. Out: tools and hooks for turns, and a
//! process each, which is started at the first call. A project's runs from the copy that was trusted.

mod found_extension;
mod manifests;
mod program_means;
mod program_port;
mod report;
mod source;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_extension::program::{ExtensionProgram, Manifest};
use scorel_proto::ProjectId;

use found_extension::FoundExtension;
use manifests::Manifests;
use program_means::ProgramScope;
use program_port::ProgramPort;

pub(crate) use program_means::ProgramMeans;

/// The directory of extensions, in the daemon's home and in `.scorel` of a project.
const DIRECTORY: &str = "extensions";

/// The programs of extensions.
pub(crate) struct ExtensionPrograms {
    means: Arc<ProgramMeans>,
    manifests: Manifests,
    running: Mutex<BTreeMap<ProgramKey, KnownProgram>>,
}

type ProgramKey = (Option<ProjectId>, String);

/// A program, with what it was made of: another manifest or another copy is another program.
struct KnownProgram {
    root: PathBuf,
    manifest: Arc<Manifest>,
    program: Arc<ExtensionProgram>,
}

impl fmt::Debug for ExtensionPrograms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtensionPrograms").finish_non_exhaustive()
    }
}

impl ExtensionPrograms {
    pub(crate) fn new(means: ProgramMeans) -> Arc<Self> {
        Arc::new(Self {
            means: Arc::new(means),
            manifests: Manifests::default(),
            running: Mutex::default(),
        })
    }

    /// The extensions of the user. Reads files; blocks.
    fn of_the_user(&self) -> Vec<FoundExtension> {
        let directory = self.means.home.join(DIRECTORY);
        FoundExtension::below(&directory, &self.manifests)
    }

    /// The program of an extension, which runs from the directory `root`.
    fn program(
        &self,
        scope: ProgramScope,
        root: &Path,
        manifest: &Arc<Manifest>,
    ) -> Arc<ExtensionProgram> {
        let key = (
            scope.as_ref().map(|(id, _)| *id),
            manifest.id.as_str().to_owned(),
        );
        let mut running = self.running();
        let known = running.get(&key);
        if let Some(known) = known
            && known.root == root
            && Arc::ptr_eq(&known.manifest, manifest)
        {
            return Arc::clone(&known.program);
        }
        let port = ProgramPort {
            means: Arc::clone(&self.means),
            manifest: Arc::clone(manifest),
            root: root.to_owned(),
            project: scope,
        };
        let program = Arc::new(ExtensionProgram::new(&manifest.id, Arc::new(port)));
        // The one before ends with the last call that uses it.
        running.insert(
            key,
            KnownProgram {
                root: root.to_owned(),
                manifest: Arc::clone(manifest),
                program: Arc::clone(&program),
            },
        );
        program
    }

    /// Forgets the programs of a scope that it has no more.
    fn keep_only(&self, project: Option<ProjectId>, ids: &[&str]) {
        let is_kept = |(of, id): &ProgramKey| *of != project || ids.contains(&id.as_str());
        self.running().retain(|key, _| is_kept(key));
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
