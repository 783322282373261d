use std::fmt;

use scorel_proto::{PersistentEvent, SessionId};

/// Learns of every record that is published.
pub trait SessionObserver: fmt::Debug + Send + Sync {
    /// A record of the session is published. Called in the session's critical section, so it must return
    /// at once and must not use the lane.
    fn committed(&self, session_id: SessionId, event: &PersistentEvent);

    /// The session was loaded.
    fn loaded(&self, session_id: SessionId);

    /// The session was deleted.
    fn removed(&self, session_id: SessionId);
}
