//! One end of a JSON-RPC 2.0 connection, over any stream and sink of JSON texts.
//!
//! Both ends of every connection are made of this: the daemon's driver (`scorel-rpc`), the client
//! library, the daemon's own calls and the links to foreign agents. Each calls, answers and notifies.
//!
//! ```text
//! bytes ─ framing → text ─ envelope → call, notification ──→ the side that serves them
//!                                   → answer ─→ Calls ─────→ the caller
//!                          caller, server ─→ Outbox ─ write → bytes
//! ```
//!
//! * **Framing.** [`TextStream::of_bytes`] tells newline-delimited JSON and the base protocol of the Language Server
//!   Protocol apart by the first byte; [`LineCutter`] is the one reader of bounded lines.
//! * **Envelopes.** [`Frame::parse`] takes what a stranger sends, within limits that hold before
//!   anything is allocated for the content. [`Members`] is one message of a trusted end.
//! * **Calls out.** A [`Peer`] has a bounded number of open calls; [`Calls`] is the same without I/O. A
//!   call whose future is dropped is forgotten, and its answer ignored.
//! * **Standard streams.** [`serve_stdio`] serves the program that has started this one.
//! * **Way out.** The [`Outbox`] is bounded in bytes, and everything waits there in order.

mod array;
mod beginning;
mod calls;
mod envelope;
mod error_object;
mod framing;
mod message_text;
mod outbox;
mod peer;
mod stdio;
mod text;
mod text_stream;
mod writer;

pub use array::ArrayPrefix;
pub use beginning::beginning;
pub use calls::Calls;
pub use envelope::{
    EnvelopeLimits, Frame, FrameEntry, IdKey, Members, RequestId, RequestObject, ScanError,
    check_content, invalid_request,
};
pub use error_object::ErrorObject;
pub use framing::{FrameError, FrameLimits, LineCutter, LineTooLong};
pub use message_text::{answer_head, notification_head, refusal, request};
pub use outbox::{Closed, Outbox};
pub use peer::{CallError, Inbox, Peer};
pub use stdio::{StdioService, serve_stdio};
pub use text::JsonText;
pub use text_stream::{IncomingTexts, OutgoingTexts, TextStream};
pub use writer::write;
