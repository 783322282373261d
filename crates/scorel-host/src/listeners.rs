//! Listeners: what sessions publish reaches those who only want to know.
//!
//! A listener is called for each event that it hears, after the event was published. Nothing waits for it: each
//! session is followed by a cursor of its own, and what comes faster than listeners run is dropped and counted.
//!
//! ```text
//! feed of a session → cursor → names → asides (4 at once, 64 waiting) → listener ─ word → queue
//! ```

mod asides;
mod follow;
mod heard;
mod listener;
mod word;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_proto::{PersistentEvent, Seq, SessionId};
use scorel_session::{LiveCursor, Section, SessionFeature};
use tokio::runtime::Handle;

pub use asides::Asides;
use follow::Followed;
pub use heard::Heard;
pub use listener::{Listener, ListenerPlace, ListenerSource, Reception};

/// Follows sessions for the listeners of all sources.
#[derive(Debug)]
pub(crate) struct Listeners {
    sources: Arc<[Arc<dyn ListenerSource>]>,
    asides: Arc<Asides>,
    /// The sessions that are followed.
    followed: Arc<Mutex<HashSet<SessionId>>>,
}

impl Listeners {
    pub(crate) fn new(sources: Vec<Arc<dyn ListenerSource>>, asides: Arc<Asides>) -> Self {
        Self {
            sources: sources.into(),
            asides,
            followed: Arc::default(),
        }
    }
}

impl SessionFeature for Listeners {
    fn committed(&self, section: &Section<'_>, event: &PersistentEvent) {
        let id = event.session_id;
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if self.sources.is_empty() || !followed(&self.followed).insert(id) {
            return;
        }
        let before = Seq::new(event.seq.get().saturating_sub(1)).unwrap_or_default();
        let lane = section.lane();
        let session = Followed {
            place: ListenerPlace {
                session_id: id,
                project_id: lane.project_id(),
            },
            cursor: LiveCursor::new(lane, before),
            sources: Arc::clone(&self.sources),
            asides: Arc::clone(&self.asides),
        };
        let all = Arc::clone(&self.followed);
        runtime.spawn(async move {
            session.run().await;
            followed(&all).remove(&id);
        });
    }
}

fn followed(all: &Mutex<HashSet<SessionId>>) -> MutexGuard<'_, HashSet<SessionId>> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}
