use std::sync::Arc;

use scorel_proto::{PersistentEvent, SessionId};
use scorel_session::SessionObserver;

/// Tells several observers of sessions, in their order.
#[derive(Debug)]
pub(crate) struct Observers(pub(crate) Vec<Arc<dyn SessionObserver>>);

impl SessionObserver for Observers {
    fn committed(&self, session_id: SessionId, event: &PersistentEvent) {
        self.0.iter().for_each(|it| it.committed(session_id, event));
    }

    fn loaded(&self, session_id: SessionId) {
        self.0.iter().for_each(|it| it.loaded(session_id));
    }

    fn removed(&self, session_id: SessionId) {
        self.0.iter().for_each(|it| it.removed(session_id));
    }
}
