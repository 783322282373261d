use std::fmt;
use std::iter;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use scorel_engine::{BlobSink, Tool, ToolList};
use scorel_fetch::Fetcher;
use scorel_proto::{NoticeBody, ProjectId, SessionId, TurnError, TurnId};
use scorel_tools::ProjectTools;
use tokio::time::timeout;

use super::turn_error::{config_error, turn_error};

/// The time that a source may take at the start of a turn.
const LIMIT: Duration = Duration::from_secs(5);

/// Offers tools to the turns of sessions.
pub trait ToolSource: fmt::Debug + Send + Sync {
    /// Names it to people, such as `skills`.
    fn name(&self) -> &str;

    /// The tools that a turn is offered at a place. Called and polled on a thread that may block, at the
    /// start of each turn; dropped when the turn is cancelled, or after five seconds.
    ///
    /// # Errors
    /// Why the turn is impossible. It becomes the turn's outcome.
    fn tools(&self, place: &ToolPlace)
    -> BoxFuture<'static, Result<Vec<Arc<dyn Tool>>, TurnError>>;

    /// True if a turn begins without its tools when they take too long, or there are none for a reason. The user is
    /// told. Else such a turn ends with an error.
    fn may_be_late(&self) -> bool {
        false
    }

    /// The sources that this one consists of, besides its own tools: each may be late by itself. Called on a thread
    /// that may block.
    fn parts(&self, _place: &ToolPlace) -> Vec<Arc<dyn ToolSource>> {
        Vec::new()
    }

    /// What those behind the tools say to models, by their names. Asked after the tools, on a thread that may block.
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

/// The tools of all sources in their order, and notices about those that are late.
pub(super) async fn tools(
    sources: &[Arc<dyn ToolSource>],
    place: &ToolPlace,
) -> Result<(ToolList, Vec<NoticeBody>), TurnError> {
    let with_parts = |it: &Arc<dyn ToolSource>| iter::once(Arc::clone(it)).chain(it.parts(place));
    let sources: Vec<_> = sources.iter().flat_map(with_parts).collect();
    let finding = sources.iter().map(|it| timeout(LIMIT, it.tools(place)));
    let (mut tools, mut notices) = (Vec::new(), Vec::new());
    for (source, found) in sources.iter().zip(join_all(finding).await) {
        match found {
            Ok(Ok(found)) => tools.extend(found),
            Ok(Err(error)) if source.may_be_late() => notices.push(missing(source.name(), &error)),
            Ok(Err(error)) => return Err(error),
            Err(_) if source.may_be_late() => notices.push(late(source.name())),
            Err(_) => {
                let text = format!("the tools of {} did not come in time", source.name());
                return Err(turn_error("tools_timeout", text));
            }
        }
    }
    let tools = ToolList::new(tools).map_err(config_error)?;
    Ok((tools, notices))
}

fn late(source: &str) -> NoticeBody {
    NoticeBody {
        code: format!("tools_late.{source}"),
        text: format!("The tools of {source} did not come in time. This turn begins without them."),
    }
}

fn missing(source: &str, error: &TurnError) -> NoticeBody {
    NoticeBody {
        code: format!("tools_missing.{source}"),
        text: format!(
            "This turn begins without the tools of {source}: {}.",
            error.message
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use scorel_engine::{ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec};
    use scorel_fetch::{FetchLimits, SystemLookup};
    use scorel_proto::BlobHash;
    use scorel_tools::ToolHost;
    use serde_json::json;
    use tokio::time::Instant;

    use super::*;

    #[derive(Debug)]
    struct Source {
        name: &'static str,
        is_stuck: bool,
        may_be_late: bool,
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

        fn may_be_late(&self) -> bool {
            self.may_be_late
        }
    }

    #[derive(Debug)]
    struct NoBlobs;

    impl BlobSink for NoBlobs {
        fn store(&self, _: &[u8]) -> std::io::Result<BlobHash> {
            Err(std::io::ErrorKind::Unsupported.into())
        }
    }

    fn source(name: &'static str, is_stuck: bool, may_be_late: bool) -> Arc<dyn ToolSource> {
        Arc::new(Source {
            name,
            is_stuck,
            may_be_late,
        })
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
    async fn a_late_source_is_left_out_and_named_and_the_others_keep_their_order() {
        let dir = tempfile::tempdir().unwrap();
        let sources = [
            source("one", false, false),
            source("slow", true, true),
            source("slower", true, true),
            source("two", false, true),
        ];
        let began = Instant::now();
        let (list, notices) = tools(&sources, &place(&dir)).await.unwrap();
        assert!(began.elapsed() < LIMIT * 2, "they have one limit together");
        let names: Vec<_> = list.specs().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, ["tool_one", "tool_two"]);
        let codes: Vec<_> = notices.iter().map(|notice| notice.code.as_str()).collect();
        assert_eq!(codes, ["tools_late.slow", "tools_late.slower"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_source_that_is_needed_and_stuck_ends_the_turn() {
        let dir = tempfile::tempdir().unwrap();
        let sources = [source("one", false, false), source("stuck", true, false)];
        let error = tools(&sources, &place(&dir)).await.unwrap_err();
        assert_eq!(error.code, "tools_timeout");
        assert!(error.message.contains("stuck"), "{}", error.message);
    }
}
