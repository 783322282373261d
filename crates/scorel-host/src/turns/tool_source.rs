use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all, ready};
use scorel_engine::{BlobSink, CallScreen, Tool, ToolList, TurnLimits};
use scorel_fetch::Fetcher;
use scorel_outside_tool::OutsideSource;
use scorel_proto::{ProjectId, SessionId, TurnError, TurnId};
use scorel_tools::ProjectTools;
use tokio::time::timeout;

use super::turn_error::turn_error;

/// The time that a source may take at the start of a turn.
const LIMIT: Duration = Duration::from_secs(5);

/// Offers tools to the turns of sessions.
pub trait ToolSource: fmt::Debug + Send + Sync {
    /// Names it to people, such as `skills`.
    fn name(&self) -> &str;

    /// Checks that a foreign agent may do the work at a place, with none of these tools but those for agents.
    ///
    /// # Errors
    /// Why it is not suitable. It becomes the turn's outcome.
    fn admits_runner(&self, _place: &ToolPlace) -> Result<(), TurnError> {
        Ok(())
    }

    /// The tools that a turn is offered at a place. Called and polled on a thread that may block, at the
    /// start of each turn; dropped when the turn is cancelled, or after five seconds.
    ///
    /// # Errors
    /// Why the turn is impossible. It becomes the turn's outcome.
    fn tools(
        &self,
        _place: &ToolPlace,
    ) -> BoxFuture<'static, Result<Vec<Arc<dyn Tool>>, TurnError>> {
        Box::pin(ready(Ok(Vec::new())))
    }

    /// The programs whose tools a turn is offered besides: they may be late, or change. Called on a thread that may
    /// block.
    fn outside(&self, _place: &ToolPlace) -> Vec<Arc<dyn OutsideSource>> {
        Vec::new()
    }

    /// The part of a turn's instructions that says how to use these tools. Asked after the tools, on a
    /// thread that may block.
    fn rules(&self, _place: &ToolPlace, _tools: &ToolList) -> Option<String> {
        None
    }

    /// Says which tools of the session, of any source, may be called when; nothing if all may be. Asked after the
    /// tools, on a thread that may block.
    fn screen(&self, _place: &ToolPlace) -> Option<Arc<dyn CallScreen>> {
        None
    }

    /// The limits of a turn, lowered by what the source allows. Asked after the tools.
    fn limited(&self, _place: &ToolPlace, limits: TurnLimits) -> TurnLimits {
        limits
    }

    /// The instructions of those behind the tools, by their names. Asked after the tools, on a thread that may block.
    fn instructions(&self, _place: &ToolPlace) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// The place that tools are for: a session in a directory.
#[derive(Debug)]
pub struct ToolPlace {
    /// The session.
    pub session_id: SessionId,
    /// Its project.
    pub project_id: ProjectId,
    /// The turn; `None` for a request outside of turns.
    pub turn_id: Option<TurnId>,
    /// The directory that it works in: that of the project, or a worktree.
    pub directory: PathBuf,
    /// The tools on that directory, which live as long as the session is loaded.
    pub project: Arc<ProjectTools>,
    /// Takes large content of results.
    pub blobs: Arc<dyn BlobSink>,
    /// Fetches pages as the configuration allows.
    pub fetcher: Fetcher,
}

/// The tools of all sources in their order, without those of programs.
pub(super) async fn tools(
    sources: &[Arc<dyn ToolSource>],
    place: &ToolPlace,
) -> Result<Vec<Arc<dyn Tool>>, TurnError> {
    let finding = sources.iter().map(|it| timeout(LIMIT, it.tools(place)));
    let mut tools = Vec::new();
    for (source, found) in sources.iter().zip(join_all(finding).await) {
        match found {
            Ok(found) => tools.extend(found?),
            Err(_) => {
                let text = format!("the tools of {} did not come in time", source.name());
                return Err(turn_error("tools_timeout", text));
            }
        }
    }
    Ok(tools)
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;
    use scorel_engine::{ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec};
    use scorel_fetch::{FetchLimits, SystemLookup};
    use scorel_proto::BlobHash;
    use scorel_tools::ToolHost;
    use serde_json::json;

    #[derive(Debug)]
    struct Source {
        name: &'static str,
        is_stuck: bool,
    }

    #[derive(Debug)]
    struct NamedTool(ToolSpec);

    impl Tool for NamedTool {
        fn spec(&self) -> &ToolSpec {
            &self.0
        }

        fn plan(self: Arc<Self>, _: ToolCall) -> BoxFuture<'static, ToolPlan> {
            Box::pin(ready(ToolPlan::answered(ToolOutcome::error("not run"))))
        }
    }

    impl ToolSource for Source {
        fn name(&self) -> &str {
            self.name
        }

        fn tools(
            &self,
            _: &ToolPlace,
        ) -> BoxFuture<'static, Result<Vec<Arc<dyn Tool>>, TurnError>> {
            let tool: Arc<dyn Tool> = Arc::new(NamedTool(ToolSpec {
                name: format!("tool_{}", self.name),
                description: String::new(),
                parameters: json!({"type": "object"}).into(),
                read_only: true,
                class: ToolClass::Outside,
            }));
            if self.is_stuck {
                return Box::pin(pending());
            }
            Box::pin(ready(Ok(vec![tool])))
        }
    }

    #[derive(Debug)]
    struct NoBlobs;

    impl BlobSink for NoBlobs {
        fn store(&self, _: &[u8]) -> std::io::Result<BlobHash> {
            Err(std::io::ErrorKind::Unsupported.into())
        }
    }

    fn source(name: &'static str, is_stuck: bool) -> Arc<dyn ToolSource> {
        Arc::new(Source { name, is_stuck })
    }

    fn place(dir: &tempfile::TempDir) -> ToolPlace {
        let host = ToolHost::new(dir.path(), Arc::new(NoBlobs));
        ToolPlace {
            session_id: SessionId::generate(),
            project_id: ProjectId::generate(),
            turn_id: None,
            directory: dir.path().to_owned(),
            project: Arc::new(ProjectTools::new(dir.path(), host).unwrap()),
            blobs: Arc::new(NoBlobs),
            fetcher: Fetcher::new(Arc::new(SystemLookup), FetchLimits::default()),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn tools_keep_the_order_of_their_sources() {
        let dir = tempfile::tempdir().unwrap();
        let sources = [source("one", false), source("two", false)];
        let tools = tools(&sources, &place(&dir)).await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
        assert_eq!(names, ["tool_one", "tool_two"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_source_that_is_needed_and_stuck_ends_the_turn() {
        let dir = tempfile::tempdir().unwrap();
        let sources = [source("one", false), source("stuck", true)];
        let error = tools(&sources, &place(&dir)).await.unwrap_err();
        assert_eq!(error.code, "tools_timeout");
        assert!(error.message.contains("stuck"), "{}", error.message);
    }
}
