use scorel_workflow::StateUpdate;

/// One change of a text.
#[derive(Debug)]
pub(super) enum Operation {
    /// Values of the run's document.
    UpdateFrontmatter(Box<StateUpdate>),
    /// A text that is there once.
    ReplaceText { old: String, new: String },
    /// A text at the end.
    AppendText(String),
}
