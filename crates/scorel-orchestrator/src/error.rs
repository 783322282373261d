use scorel_proto::AgentTaskId;
use scorel_session::SessionError;

/// The reason why a call about runtimes failed.
#[derive(Debug, thiserror::Error)]
pub enum OrchestratorError {
    #[error("there is no agent `{agent_type}`{}", did_you_mean(suggestion.as_deref()))]
    AgentNotFound {
        agent_type: String,
        /// The name that is most like it.
        suggestion: Option<String>,
    },
    #[error("there is no runtime {0}")]
    AgentTaskNotFound(AgentTaskId),
    #[error("{0}")]
    InvalidParams(String),
    /// A hook has stopped it. The text names the hook.
    #[error("{0}")]
    Hook(String),
    #[error(transparent)]
    Session(#[from] SessionError),
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
