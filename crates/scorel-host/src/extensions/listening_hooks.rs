use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_extension::hook::{CommandHook, HookAsides};
use scorel_proto::SessionId;

use crate::listeners::{Asides, Heard, Listener, ListenerPlace, ListenerSource, Reception};

/// The sessions whose listening commands are kept. They are made anew with each turn.
const MAX: usize = 4096;

/// Commands that only hear of what a session publishes: those of its last turn.
#[derive(Debug, Default)]
pub(crate) struct ListeningHooks {
    of: Mutex<HashMap<SessionId, Vec<CommandHook>>>,
}

impl ListeningHooks {
    pub(super) fn set(&self, id: SessionId, hooks: Vec<CommandHook>) {
        let mut of = self.lock();
        if of.len() >= MAX {
            of.clear();
        }
        if hooks.is_empty() {
            of.remove(&id);
        } else {
            of.insert(id, hooks);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Vec<CommandHook>>> {
        self.of.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ListenerSource for ListeningHooks {
    fn listeners(&self, place: ListenerPlace) -> Vec<Arc<dyn Listener>> {
        let found = self.lock().get(&place.session_id).cloned();
        let found = found.unwrap_or_default().into_iter();
        found.map(|hook| Arc::new(hook) as _).collect()
    }
}

impl Listener for CommandHook {
    fn name(&self) -> &str {
        scorel_engine::Hooks::name(self)
    }

    fn hears(&self, kind: &str) -> bool {
        self.kinds().contains(&kind)
    }

    fn heard(&self, event: Arc<Heard>) -> Reception {
        let hook = self.clone();
        Reception::Work(async move { hook.hear(&event.kind, &event.event).await }.boxed())
    }
}

/// Work that runs beside a session.
#[derive(Debug)]
pub(super) struct SessionAsides {
    pub(super) session_id: SessionId,
    pub(super) asides: Arc<Asides>,
}

impl HookAsides for SessionAsides {
    fn run(&self, hook: &str, work: BoxFuture<'static, Option<String>>) {
        self.asides.run(self.session_id, hook, work);
    }
}
