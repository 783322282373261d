use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_proto::{ProjectId, SessionId};

use super::heard::Heard;

/// Wants to know what sessions do, and has no say in it.
pub trait Listener: fmt::Debug + Send + Sync {
    /// Names it in the log, and to the model if it says something.
    fn name(&self) -> &str;

    /// Returns whether it wants events of this type: one of the protocol, or one of
    /// [`Heard::MEANINGS`].
    fn hears(&self, kind: &str) -> bool;

    /// Takes an event, in the order of the session. Returns at once.
    fn heard(&self, event: Arc<Heard>) -> Reception;
}

/// The consequence of an event for a listener.
#[expect(missing_debug_implementations, reason = "futures have none")]
pub enum Reception {
    /// It has taken the event.
    Taken,
    /// It had no room for the event.
    Missed,
    /// This is done in its turn. What comes of it is told to the model: to the running turn, else it begins one.
    Work(BoxFuture<'static, Option<String>>),
}

/// Gives sessions their listeners.
pub trait ListenerSource: fmt::Debug + Send + Sync {
    /// The listeners of a session. Called when its first event is published after it was loaded, and at the
    /// start of each turn, on a thread that may block.
    fn listeners(&self, place: ListenerPlace) -> Vec<Arc<dyn Listener>>;
}

/// The session that listeners are for.
#[derive(Debug, Clone, Copy)]
pub struct ListenerPlace {
    /// The session.
    pub session_id: SessionId,
    /// Its project.
    pub project_id: ProjectId,
}
