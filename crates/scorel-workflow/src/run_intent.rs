use std::fmt;

/// The reason why the model is told the state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunIntent {
    /// The first turn of a run.
    Start,
    /// A turn of a run that went on before.
    Continue,
    /// A turn of which nothing is known but the document.
    Resume,
}

impl fmt::Display for RunIntent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::Continue => "continue",
            Self::Resume => "resume",
        })
    }
}
