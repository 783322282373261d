use crate::dialect::Dialect;
use crate::openai_completions::OpenAiCompletions;
use crate::wire::Wire;

/// A wire, and the ways of one host on it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WireDialect {
    OpenAiCompletions(Dialect),
}

impl WireDialect {
    /// One for each wire: what an endpoint that nothing is known about is assumed to accept.
    pub(crate) const COMPATIBLE: [Self; 1] = [Self::OpenAiCompletions(Dialect::COMPATIBLE)];

    /// The wire's name.
    pub(crate) const fn api(self) -> &'static str {
        match self {
            Self::OpenAiCompletions(_) => OpenAiCompletions::API,
        }
    }
}
