//! The toolbox of one session.

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_proto::Block;
use scorel_runtime::{ToolCall, ToolOutcome, ToolSpec, ToolUpdates, Toolbox};
use serde_json::Value;
use tokio::task::{JoinError, spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::error::{ErrorCode, ToolError};
use crate::glob::GlobTool;
use crate::grep::GrepTool;
use crate::pace::{Pace, TIME_LIMIT};
use crate::read::ReadTool;
use crate::root::{OpenRootError, Root, RootName};
use crate::roots::Roots;
use crate::tool::{Call, Report, Tool};

/// How much of unparsable arguments an error quotes, in characters.
const QUOTED_CHARS: usize = 200;

/// `Read`, `Glob` and `Grep` on a project.
///
/// Calls run on the runtime's blocking threads and at most for a few seconds: each ends by itself,
/// with what it has, at its time limit or when it is cancelled.
#[derive(Debug)]
pub struct ProjectTools {
    roots: Arc<Roots>,
    tools: Vec<Arc<dyn Tool>>,
    specs: Vec<ToolSpec>,
}

impl ProjectTools {
    /// The tools on the project at `project_dir`, which is opened once, here.
    ///
    /// # Errors
    /// The directory cannot be opened.
    pub fn new(project_dir: &Path) -> Result<Self, OpenRootError> {
        let project = Root::open(RootName::Project, project_dir)?;
        Ok(Self::on(Roots::new(project)))
    }

    /// The tools on roots that are already open.
    #[must_use]
    pub fn on(roots: Roots) -> Self {
        let tools: Vec<Arc<dyn Tool>> =
            vec![Arc::new(ReadTool), Arc::new(GlobTool), Arc::new(GrepTool)];
        Self::with_tools(roots, tools)
    }

    pub(crate) fn with_tools(roots: Roots, tools: Vec<Arc<dyn Tool>>) -> Self {
        Self {
            roots: Arc::new(roots),
            specs: tools.iter().map(|tool| tool.spec()).collect(),
            tools,
        }
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
            None => Ok((Arc::clone(&self.tools[position]), call.input)),
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
        _updates: ToolUpdates,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, ToolOutcome> {
        let chosen = self.choose(call);
        let roots = Arc::clone(&self.roots);
        Box::pin(async move {
            let result = match chosen {
                Ok((tool, input)) => run(tool, input, roots, cancel).await,
                Err(error) => Err(error),
            };
            outcome(result)
        })
    }
}

async fn run(
    tool: Arc<dyn Tool>,
    input: Value,
    roots: Arc<Roots>,
    cancel: CancellationToken,
) -> Result<Report, ToolError> {
    spawn_blocking(move || {
        let pace = Pace::new(cancel, TIME_LIMIT);
        tool.run(&Call { roots, pace }, input)
    })
    .await
    .unwrap_or_else(|error| Err(broken(error)))
}

fn outcome(result: Result<Report, ToolError>) -> ToolOutcome {
    match result {
        Ok(report) => ToolOutcome {
            content: vec![Block::text(report.text)],
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
