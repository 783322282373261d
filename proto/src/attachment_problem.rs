use crate::named::named;

named! {
    /// Why a file cannot be attached: `details.kind` of `attachment_refused`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum AttachmentProblem {
        /// There is no such file.
        NotFound = "not_found",
        /// There cannot be such a file.
        InvalidPath = "invalid_path",
        /// A directory.
        Directory = "directory",
        /// A device, pipe or socket.
        NotAFile = "not_a_file",
        /// Outside the project, or a link that leads there.
        Outside = "outside",
        /// Kept from tools, by a rule or as a hidden place.
        Denied = "denied",
        /// The file, or all texts together, exceed a limit.
        TooLarge = "too_large",
        /// Neither a text nor a picture.
        Binary = "binary",
        /// The message has too many files.
        TooMany = "too_many",
        /// The system does not let the daemon read it.
        Unreadable = "unreadable",
    }
}
