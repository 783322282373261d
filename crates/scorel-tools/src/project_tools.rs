//! The toolbox of one session.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use scorel_proto::Block;
use scorel_runtime::{ToolCall, ToolOutcome, ToolSpec, ToolUpdates, Toolbox};
use serde_json::Value;
use tokio::task::{JoinError, spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::bash::{CommandCall, Commands};
use crate::edit::EditTool;
use crate::error::{ErrorCode, ToolError};
use crate::glob::GlobTool;
use crate::grep::GrepTool;
use crate::host::ToolHost;
use crate::pace::{Pace, TIME_LIMIT};
use crate::read::ReadTool;
use crate::read_filter::{ReadFilter, ReadFilters};
use crate::root::{OpenRootError, Root, RootName};
use crate::roots::Roots;
use crate::seen::Seen;
use crate::todo::TodoTool;
use crate::tool::{Call, Report, Tool};
use crate::web_fetch::{PageSource, WEB_FETCH, WebFetch};
use crate::write::WriteTool;
use crate::write_target::WriteTarget;

/// How much of unparsable arguments an error quotes, in characters.
const QUOTED_CHARS: usize = 200;

/// `Read`, `Glob`, `Grep`, `Write` and `Edit` on a project, and `Todo`.
///
/// One value serves one session for as long as it is loaded: it knows what the session's model has
/// read, and that is what the model may change.
///
/// Calls run on the runtime's blocking threads and at most for a few seconds: each ends by itself,
/// with what it has, at its time limit or when it is cancelled.
#[derive(Debug)]
pub struct ProjectTools {
    roots: Arc<Roots>,
    seen: Arc<Seen>,
    host: ToolHost,
    /// What a person permitted a call to change that has not come yet.
    permission: Mutex<Option<(String, WriteTarget)>>,
    filters: ReadFilters,
    tools: Vec<Arc<dyn Tool>>,
    specs: Vec<ToolSpec>,
    commands: Option<Arc<Commands>>,
    web: Option<WebFetch>,
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
    #[must_use]
    pub fn on(roots: Roots, host: ToolHost) -> Self {
        let tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(ReadTool),
            Arc::new(GlobTool),
            Arc::new(GrepTool),
            Arc::new(WriteTool),
            Arc::new(EditTool),
            Arc::new(TodoTool),
        ];
        Self::with_tools(roots, host, tools)
    }

    pub(crate) fn with_tools(roots: Roots, host: ToolHost, tools: Vec<Arc<dyn Tool>>) -> Self {
        Self {
            roots: Arc::new(roots),
            seen: Arc::default(),
            host,
            permission: Mutex::default(),
            filters: ReadFilters::default(),
            specs: tools.iter().map(|tool| tool.spec()).collect(),
            tools,
            commands: None,
            web: None,
        }
    }

    /// The same tools with `Bash`, `BashOutput` and `BashStop`.
    #[must_use]
    pub fn with_commands(mut self, commands: Commands) -> Self {
        self.specs.extend(Commands::specs());
        self.commands = Some(Arc::new(commands));
        self
    }

    /// The same tools with `WebFetch`, which gets its pages from `source`.
    #[must_use]
    pub fn with_pages(mut self, source: Arc<dyn PageSource>) -> Self {
        self.specs.push(WebFetch::spec());
        self.web = Some(WebFetch::new(source, self.host.clone()));
        self
    }

    /// The session's commands, if it may run any.
    #[must_use]
    pub fn commands(&self) -> Option<&Arc<Commands>> {
        self.commands.as_ref()
    }

    /// The file that a call would make or change; nothing if it would change none, or if it is sure
    /// to fail because no tool has its name or its arguments name no path.
    ///
    /// Looks at the file system, and so may block, but changes nothing. With the answer a caller can
    /// ask for permission before the call runs, and give it with [`ProjectTools::permit`].
    ///
    /// # Errors
    /// The call would fail with this error.
    pub fn write_target(&self, call: &ToolCall) -> Result<Option<WriteTarget>, ToolError> {
        let position = self.specs.iter().position(|spec| spec.name == call.name);
        let tool = position.and_then(|position| self.tools.get(position));
        match tool.and_then(|tool| tool.path_written(&call.input)) {
            Some(path) => {
                let location = self.roots.locate_file(path)?;
                let target = self.roots.write_target(&location, self.host.home())?;
                Ok(Some(target))
            }
            None => Ok(None),
        }
    }

    /// Lets one call change a file that is protected: the call `call_id`, when it comes, changes
    /// `target` or, if its path leads elsewhere by then, nothing. Holds for one call, and until the
    /// next permission.
    pub fn permit(&self, call_id: &str, target: WriteTarget) {
        *self.permission() = Some((call_id.to_owned(), target));
    }

    /// Shows the model only files that `filter` lets pass, from the next call on; all files if there
    /// is none. Undoes [`ProjectTools::filter_call`].
    pub fn filter_reads(&self, filter: Option<Arc<dyn ReadFilter>>) {
        self.filters.set(filter);
    }

    /// Undoes [`ProjectTools::filter_call`] for the call `call_id`, an earlier one of that id.
    pub fn reset_filter(&self, call_id: &str) {
        self.filters.reset(call_id);
    }

    /// As [`ProjectTools::filter_reads`] for one call only, the call `call_id` when it comes.
    pub fn filter_call(&self, call_id: &str, filter: Option<Arc<dyn ReadFilter>>) {
        self.filters.set_for(call_id, filter);
    }

    /// Takes the permission of a call, if it has one.
    fn permitted(&self, call_id: &str) -> Option<WriteTarget> {
        let permission = self.permission().take_if(|(id, _)| id == call_id);
        permission.map(|(_, target)| target)
    }

    fn permission(&self) -> MutexGuard<'_, Option<(String, WriteTarget)>> {
        let permission = self.permission.lock();
        permission.unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a call of one of the tools for commands; nothing if it is not one.
    fn run_command(
        &self,
        call: &ToolCall,
        updates: &ToolUpdates,
        cancel: &CancellationToken,
    ) -> Option<BoxFuture<'static, ToolOutcome>> {
        let commands = self
            .commands
            .as_ref()
            .filter(|_| call.invalid_input.is_none())?;
        let context = CommandCall {
            id: call.id.clone(),
            roots: Arc::clone(&self.roots),
            host: self.host.clone(),
            updates: updates.clone(),
            cancel: cancel.clone(),
        };
        commands.call(&call.name, call.input.clone(), context)
    }

    /// Runs a call of `WebFetch`; nothing if it is not one.
    fn run_fetch(
        &self,
        call: &ToolCall,
        cancel: &CancellationToken,
    ) -> Option<BoxFuture<'static, ToolOutcome>> {
        let is_fetch = call.name == WEB_FETCH && call.invalid_input.is_none();
        let web = self.web.clone().filter(|_| is_fetch)?;
        let (input, cancel) = (call.input.clone(), cancel.clone());
        Some(Box::pin(
            async move { outcome(web.run(input, &cancel).await) },
        ))
    }

    /// The tool and the arguments of a call, if both are there.
    fn choose(&self, call: ToolCall) -> Result<(Arc<dyn Tool>, Value), ToolError> {
        let position = self.specs.iter().position(|spec| spec.name == call.name);
        let Some(position) = position else {
            let names: Vec<_> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
            return Err(ToolError::new(
                ErrorCode::UnknownTool,
                format!(
                    "no tool is named `{}`; the tools are {}",
                    quote(&call.name),
                    names.join(", ")
                ),
            ));
        };
        match call.invalid_input {
            Some(written) => Err(ToolError::invalid(format!(
                "the arguments are not a JSON object: {}",
                quote(&written)
            ))),
            None => match self.tools.get(position) {
                Some(tool) => Ok((Arc::clone(tool), call.input)),
                None => Err(ToolError::new(
                    ErrorCode::Internal,
                    "the tool is not for files",
                )),
            },
        }
    }
}

impl Toolbox for ProjectTools {
    fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    fn call(
        &self,
        call: ToolCall,
        updates: ToolUpdates,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, ToolOutcome> {
        if let Some(running) = self.run_command(&call, &updates, &cancel) {
            return running;
        }
        if let Some(running) = self.run_fetch(&call, &cancel) {
            return running;
        }
        let permitted = self.permitted(&call.id);
        let filter = self.filters.take(&call.id);
        let chosen = self.choose(call);
        let (roots, seen) = (Arc::clone(&self.roots), Arc::clone(&self.seen));
        let host = self.host.clone();
        let begin = move || Call {
            roots,
            seen,
            host,
            permitted,
            filter,
            pace: Pace::new(cancel, TIME_LIMIT),
        };
        Box::pin(async move {
            let result = match chosen {
                Ok((tool, input)) => run(tool, input, begin).await,
                Err(error) => Err(error),
            };
            outcome(result)
        })
    }
}

async fn run(
    tool: Arc<dyn Tool>,
    input: Value,
    begin: impl FnOnce() -> Call + Send + 'static,
) -> Result<Report, ToolError> {
    spawn_blocking(move || tool.run(&begin(), input))
        .await
        .unwrap_or_else(|error| Err(broken(error)))
}

fn outcome(result: Result<Report, ToolError>) -> ToolOutcome {
    match result {
        Ok(report) => ToolOutcome {
            content: std::iter::once(Block::text(report.text))
                .chain(report.picture)
                .collect(),
            is_error: false,
            details: Some(report.details),
        },
        Err(error) => ToolOutcome {
            details: Some(error.to_details()),
            ..ToolOutcome::error(error.to_string())
        },
    }
}

/// A tool that panicked, or a runtime that ended before the tool began.
fn broken(error: JoinError) -> ToolError {
    let cause = match error.try_into_panic() {
        Ok(payload) => payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_default(),
        Err(error) => error.to_string(),
    };
    ToolError::new(
        ErrorCode::Internal,
        format!("the tool failed: {}", quote(&cause)),
    )
}

/// The beginning of a text that somebody else wrote.
fn quote(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
