//! The messages of the child process, one a line.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Message {
    /// The document was opened and has so many pages.
    Opened(u32),
    /// The text of the next page; nothing if it cannot be read.
    Page(Option<String>),
    /// All that is to be read was read.
    End,
    /// A password is needed.
    Encrypted,
    /// It is not a valid document.
    Damaged,
}
