use crate::named::named;

named! {
    /// Why a turn of a run begins.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RunIntent {
        /// The run begins.
        Start = "start",
        /// It goes on.
        Continue = "continue",
        /// It goes on from its document.
        Resume = "resume",
    }
}
