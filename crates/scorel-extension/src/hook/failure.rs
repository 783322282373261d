use super::claude::AnswerError;

/// The reason why a hook has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HookFailure {
    /// The things that it was trusted for have changed.
    #[error("{0}")]
    Inert(String),
    #[error("it cannot be started: {0}")]
    Start(String),
    #[error("it took longer than {0} s")]
    TimedOut(u64),
    #[error("it wrote more than {0} bytes")]
    TooLong(usize),
    #[error("signal {signal} killed it{}", after_colon(line))]
    Signal { signal: i32, line: String },
    #[error("it was stopped")]
    Stopped,
    #[error(transparent)]
    Answer(#[from] AnswerError),
}

fn after_colon(line: &str) -> String {
    match line {
        "" => String::new(),
        line => format!(": {line}"),
    }
}
