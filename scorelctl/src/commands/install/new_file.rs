/// A file that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands) struct NewFile {
    /// Its path, with `/` between its parts. It is not checked yet.
    pub(in crate::commands) name: String,
    pub(in crate::commands) is_executable: bool,
    pub(in crate::commands) bytes: Vec<u8>,
}
