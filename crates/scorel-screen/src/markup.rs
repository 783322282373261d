/// The form in which Markdown is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Markup {
    /// As it looks, for people at a terminal.
    Rendered,
    /// As it is written, in lines as long as they are and with every character, for programs.
    Source,
}
