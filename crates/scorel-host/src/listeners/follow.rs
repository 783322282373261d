//! The way of a session's events to its listeners.

use std::sync::Arc;

use scorel_proto::TransientBody;
use scorel_session::{LiveCursor, LiveScope, LiveStep};
use tokio::task::spawn_blocking;

use super::asides::Asides;
use super::heard::Heard;
use super::listener::{Listener, ListenerPlace, ListenerSource, Reception};

/// A session that is followed while it is loaded.
#[derive(Debug)]
pub(super) struct Followed {
    pub(super) place: ListenerPlace,
    pub(super) cursor: LiveCursor,
    pub(super) sources: Arc<[Arc<dyn ListenerSource>]>,
    pub(super) asides: Arc<Asides>,
}

impl Followed {
    /// Follows the session until it ends or is unloaded.
    pub(super) async fn run(mut self) {
        let id = self.place.session_id;
        let mut listeners = self.listeners().await;
        self.tell(&listeners, Heard::session_start(id));
        loop {
            match self.cursor.next(scope(&listeners)).await {
                LiveStep::Events(events) => {
                    for json in events {
                        let Some(kind) = Heard::kind_of(&json) else {
                            continue;
                        };
                        // A turn and a task for an agent ask hooks, which are read for that.
                        if ["runtime_start", "runtime_spawned"].contains(&&*kind) {
                            listeners = self.listeners().await;
                        }
                        let wanted = |kind: &str| listeners.iter().any(|it| it.hears(kind));
                        for mut heard in Heard::all_of(id, &kind, &json, wanted) {
                            self.cursor.view(|view| heard.name_agent(view));
                            self.tell(&listeners, heard);
                        }
                        if Heard::is_cancel(&kind, &json) {
                            self.asides.cancel(id);
                        }
                    }
                }
                LiveStep::Missed => self.asides.missed(id),
                LiveStep::Ended(reason) => {
                    self.tell(&listeners, Heard::session_end(id, reason));
                    return;
                }
            }
        }
    }

    async fn listeners(&self) -> Vec<Arc<dyn Listener>> {
        let (sources, place) = (Arc::clone(&self.sources), self.place);
        let all = move || {
            let all = sources.iter().flat_map(|source| source.listeners(place));
            all.collect()
        };
        // A source that panics costs its listeners, and nothing else.
        spawn_blocking(all).await.unwrap_or_default()
    }

    fn tell(&self, listeners: &[Arc<dyn Listener>], heard: Heard) {
        let heard = Arc::new(heard);
        for listener in listeners.iter().filter(|it| it.hears(&heard.kind)) {
            let id = self.place.session_id;
            match listener.heard(Arc::clone(&heard)) {
                Reception::Taken => {}
                Reception::Missed => self.asides.missed(id),
                Reception::Work(work) => self.asides.run(id, listener.name(), work),
            }
        }
    }
}

/// Nothing wakes for the deltas of an answer unless a listener wants them.
fn scope(listeners: &[Arc<dyn Listener>]) -> LiveScope {
    let mut deltas = TransientBody::DELTAS.iter();
    match deltas.any(|kind| listeners.iter().any(|it| it.hears(kind))) {
        true => LiveScope::All,
        false => LiveScope::DeltaFree,
    }
}
