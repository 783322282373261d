use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind};
use tokio::sync::Notify;
use tracing::warn;

/// Turns file events into a notification without content: the receiver examines the files itself.
#[derive(Debug)]
pub(super) struct FileAlarm {
    bell: Arc<Notify>,
    socket_name: OsString,
    socket_bell: Arc<Notify>,
    /// The names of files and directories that matter. The home has many files that do not.
    names: Mutex<HashSet<OsString>>,
}

impl FileAlarm {
    pub(super) fn new(bell: Arc<Notify>, (socket, socket_bell): (&Path, Arc<Notify>)) -> Self {
        Self {
            bell,
            socket_name: socket.file_name().unwrap_or_default().to_owned(),
            socket_bell,
            names: Mutex::default(),
        }
    }

    pub(super) fn set_names(&self, names: HashSet<OsString>) {
        *self.names.lock().unwrap_or_else(PoisonError::into_inner) = names;
    }

    /// Takes what a watcher tells.
    pub(super) fn told(&self, told: notify::Result<Event>) {
        self.event(&told.unwrap_or_else(|error| {
            warn!(%error, "a watch of the configuration failed");
            Event::new(EventKind::Other)
        }));
    }

    fn event(&self, event: &Event) {
        if !is_change(event.kind) {
            return;
        }
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let found = || event.paths.iter().filter_map(|path| path.file_name());
        // Events were lost: everything may have happened.
        let all = event.need_rescan() || event.paths.is_empty();
        if all || found().any(|name| name == self.socket_name) {
            self.socket_bell.notify_one();
        }
        if all || found().any(|name| names.contains(name)) {
            self.bell.notify_one();
        }
    }
}

/// Whether a file may be another one now. That it was opened and read says nothing, and this program
/// reads it at each alarm.
const fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(kind) => matches!(kind, AccessKind::Close(AccessMode::Write)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use notify::event::{CreateKind, Flag};

    use super::*;

    fn rung(event: &Event) -> (bool, bool) {
        let (bell, socket) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let alarm = FileAlarm::new(
            Arc::clone(&bell),
            (Path::new("/h/scoreld.sock"), Arc::clone(&socket)),
        );
        alarm.set_names(HashSet::from(["config.toml".into()]));
        alarm.event(event);
        let is_rung = |bell: &Notify| bell.notified().now_or_never().is_some();
        (is_rung(&bell), is_rung(&socket))
    }

    #[test]
    fn only_what_may_be_a_change_of_a_known_file_rings() {
        let created =
            |path: &str| Event::new(EventKind::Create(CreateKind::File)).add_path(path.into());
        assert_eq!(rung(&created("/h/config.toml")), (true, false));
        assert_eq!(rung(&created("/h/receipts.jsonl")), (false, false));
        assert_eq!(rung(&created("/h/scoreld.sock")), (false, true));
        let read = EventKind::Access(AccessKind::Open(AccessMode::Any));
        let read = Event::new(read).add_path("/h/config.toml".into());
        assert_eq!(rung(&read), (false, false));
        let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(rung(&overflow), (true, true));
    }
}
