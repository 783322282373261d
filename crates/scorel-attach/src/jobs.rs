//! Work beside the loop that reads keys: calls of several steps, streams and files.

mod host_feed;
mod image;
mod open;
mod page_source;
mod run;
mod send;
mod sticky;
mod targets;
mod window;

pub(crate) use host_feed::{HostFeedItem, follow_host};
pub(crate) use image::{ImageFile, image_path};
pub(crate) use open::{OpenedSession, SessionFacts, open};
pub(crate) use page_source::write_transcript;
pub(crate) use run::run_program;
pub(crate) use send::{Outgoing, SendError, SentMessage, TypedCommand, send};
pub(crate) use sticky::StickyConnector;
pub(crate) use targets::{RewindMessage, rewind_messages};
#[cfg(test)]
pub(crate) use window::HistoryWindow;
pub(crate) use window::last_turns;
