//! What the state asks of the world.

use std::ffi::OsString;

use scorel_proto::{EventId, PermissionRequestId, SessionId};

use crate::call::Call;
use crate::jobs::Outgoing;

/// Something to do. The answer, if there is one, comes back as an input.
#[derive(Debug)]
pub(crate) enum Effect {
    Call(Call),
    Send(Box<Outgoing>),
    /// Show another session.
    Open(SessionId),
    /// Read the last turn of the path that ends here now.
    ShowLeaf(SessionId, Option<EventId>),
    ListMessages(SessionId),
    /// The transcript, in the pager.
    Transcript(SessionId),
    /// A text in the pager; the input of a question, if that is what it is.
    Page(String, Option<PermissionRequestId>),
    /// The draft, in the editor.
    Edit(String),
    /// A program in the project's directory; its output goes to the pager, or to a line.
    Run {
        words: Vec<OsString>,
        pages: bool,
    },
    /// A text for the clipboard, by way of the terminal.
    Copy(String),
    Bell,
    /// Forget what was typed and is not read.
    DiscardTyped,
    Suspend,
    Redraw,
    Detach,
}
