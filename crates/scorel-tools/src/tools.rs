//! The list of a session's tools.

pub(crate) mod bash;
pub(crate) mod edit;
pub(crate) mod glob;
pub(crate) mod grep;
pub(crate) mod read;
pub(crate) mod todo;
pub(crate) mod write;

use std::path::Path;
use std::sync::Arc;

use scorel_engine::Tool;

use crate::file_plan::on_files;
use crate::host::ToolHost;
use crate::root::{OpenRootError, Root, RootName};
use crate::roots::Roots;
use crate::session_files::SessionFiles;

use bash::{Commands, bash_tool, output_tool, stop_tool};

/// The tools of one session on its project.
///
/// One value serves one session for as long as it is loaded: it knows what the session's model has
/// read, and that is what the model may change.
#[derive(Debug)]
pub struct ProjectTools {
    files: Arc<SessionFiles>,
    commands: Option<Arc<Commands>>,
}

impl ProjectTools {
    /// The tools on the project at `project_dir`, which is opened once, here.
    ///
    /// # Errors
    /// The directory cannot be opened.
    pub fn new(project_dir: &Path, host: ToolHost) -> Result<Self, OpenRootError> {
        let project = Root::open(RootName::Project, project_dir)?;
        Ok(Self::on(Roots::new(project), host))
    }

    /// The tools on roots that are already open.
    pub fn on(roots: Roots, host: ToolHost) -> Self {
        Self {
            files: Arc::new(SessionFiles::new(roots, host)),
            commands: None,
        }
    }

    /// The same tools with those that run commands.
    #[must_use]
    pub fn with_commands(self, commands: Commands) -> Self {
        Self {
            commands: Some(Arc::new(commands)),
            ..self
        }
    }

    /// The session's files, which tools of other crates may work on as well.
    pub fn files(&self) -> &Arc<SessionFiles> {
        &self.files
    }

    /// Forgets what the model has read, so that it reads a file again before it changes it.
    pub fn forget_reads(&self) {
        self.files.seen.clear();
    }

    /// The session's commands, if it may run any.
    pub fn commands(&self) -> Option<&Arc<Commands>> {
        self.commands.as_ref()
    }

    /// The tools, in the order in which the model is told of them. A new tool is a file below this one
    /// and a line here; see `CONTRIBUTING.md`.
    pub fn list(&self) -> Vec<Arc<dyn Tool>> {
        let files = &self.files;
        let mut tools = vec![
            on_files(read::spec(), read::plan, files),
            on_files(glob::spec(), glob::plan, files),
            on_files(grep::spec(), grep::plan, files),
            on_files(write::spec(), write::plan, files),
            on_files(edit::spec(), edit::plan, files),
            on_files(todo::spec(), todo::plan, files),
        ];
        if let Some(commands) = &self.commands {
            tools.push(bash_tool::tool(commands, files));
            tools.push(output_tool::tool(commands));
            tools.push(stop_tool::tool(commands));
        }
        tools
    }
}
