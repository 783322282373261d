/// The room and means for Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MarkdownLook {
    /// The columns of a row of code.
    pub(crate) row: usize,
    /// The columns of prose.
    pub(crate) prose: usize,
    /// Unset to keep the signs of Markdown, where no style can be shown.
    pub(crate) styled: bool,
}
