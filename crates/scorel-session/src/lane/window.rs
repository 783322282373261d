//! The context of the next model call.
//!
//! In: the active path, as the fold knows it. Out: its messages, from the window that follows the
//! commits, or read from the log where there is none.

use std::sync::Arc;

use scorel_journal::RecordPosition;
use scorel_proto::{Context, ContextWindow, EventId, NodeKind, PathNode, PersistentEvent};

use super::published::PublishedLane;
use super::read::decoded;
use super::{Lane, Section};
use crate::SessionError;

/// What must be read to build a window.
struct WindowPlan {
    leaf: Option<EventId>,
    /// From the root to the leaf. Events without a place are in a hole that a client has accepted.
    path: Vec<(PathNode, Option<RecordPosition>)>,
    /// The events of the log that edit the context, in order.
    edits: Vec<RecordPosition>,
}

impl WindowPlan {
    /// Where the events are that a window is made of, in log order.
    fn places(
        &self,
        needed: &[PathNode],
        barrier: Option<&PersistentEvent>,
    ) -> Vec<RecordPosition> {
        // Both are in path order, so one pass finds the places.
        let mut path = self.path.iter();
        let place = |node: &PathNode| path.find(|(known, _)| known.id == node.id)?.1;
        let mut places: Vec<RecordPosition> = needed.iter().filter_map(place).collect();
        // An event edits what is before it, so those before the first one have nothing to edit here.
        let first = needed.first().map(|node| node.seq);
        let first = first.or(barrier.map(|event| event.seq));
        let edits = self.edits.iter().copied();
        places.extend(edits.filter(|place| first.is_some_and(|first| place.seq > first)));
        places.sort_by_key(|place| place.seq);
        places
    }
}

impl Lane {
    /// The context of the active path. While the window is held this reads nothing and takes the
    /// same time for every length of the conversation.
    ///
    /// # Errors
    ///
    /// If a part of the conversation cannot be read: the model must not be shown one with a hole.
    pub(crate) async fn context(self: &Arc<Self>) -> Result<Context, SessionError> {
        self.read_window(|window| window.context().clone()).await
    }

    /// Reads from the window of the active path. `read` must be short and take no lock: the windows
    /// of all sessions wait for it.
    ///
    /// # Errors
    ///
    /// As [`Lane::context`].
    pub(crate) async fn read_window<R>(
        self: &Arc<Self>,
        read: impl Fn(&ContextWindow) -> R,
    ) -> Result<R, SessionError> {
        loop {
            let plan = {
                let published = self.published();
                match published.held_window(&read) {
                    Some(found) => return Ok(found),
                    None => published.window_plan(),
                }
            };
            let (window, bytes) = self.read_log(move |lane| lane.fold_window(&plan)).await?;
            let found = read(&window);
            if self.lock().await.section().hold_window(window, bytes) {
                return Ok(found);
            }
            // The path has moved on meanwhile.
        }
    }

    /// Gives back the memory that turns have left behind. To be called some time after the last job:
    /// the next one takes it again.
    pub(crate) async fn shrink(self: &Arc<Self>) {
        if !self.has_job() {
            let mut locked = self.lock().await;
            let mut section = locked.section();
            section.publish_change(|state| state.fold.shrink());
        }
    }

    /// Reads and folds one record at a time: a conversation may have a hundred megabytes, and its
    /// lines and its events beside its messages would be three times that. Returns the window, and the length
    /// of the records that it was folded from.
    fn fold_window(&self, plan: &WindowPlan) -> Result<(ContextWindow, usize), SessionError> {
        let mut bytes = 0;
        let mut read = |place: RecordPosition| -> Result<Option<PersistentEvent>, SessionError> {
            let damaged = "a message of the conversation is damaged in the log";
            let line = self.read_intact(place)?;
            let line = line.ok_or_else(|| SessionError::Filesystem(damaged.to_owned()))?;
            bytes += line.len();
            // Events of unknown types are kept in the log and are not for the model.
            Ok(decoded(&line).ok())
        };
        let is_barrier = |(node, _): &&(PathNode, _)| node.kind == NodeKind::Compact;
        let barrier = plan.path.iter().rfind(is_barrier);
        let barrier = match barrier.and_then(|(_, place)| *place) {
            Some(place) => read(place)?,
            None => None,
        };
        let mut needed: Vec<PathNode> = plan.path.iter().map(|(node, _)| *node).collect();
        if let Some(barrier) = &barrier {
            needed = ContextWindow::needs(&needed, barrier);
        }
        let mut window = ContextWindow::beginning_with(barrier.as_ref());
        for place in plan.places(&needed, barrier.as_ref()) {
            if let Some(event) = read(place)? {
                window.include(&event);
            }
        }
        Ok((window.ending_at(plan.leaf), bytes))
    }
}

impl PublishedLane<'_> {
    fn held_window<R>(&self, read: impl Fn(&ContextWindow) -> R) -> Option<R> {
        let windows = &self.lane.shared.windows;
        windows.read(self.lane.id(), self.view().leaf(), read)
    }

    fn window_plan(&self) -> WindowPlan {
        let leaf = self.view().leaf();
        let path = self.view().tree.path(leaf).into_iter();
        let edits = self.view().state.edits.iter();
        WindowPlan {
            leaf,
            path: path.map(|node| (node, self.place_of(node.seq))).collect(),
            edits: edits.filter_map(|seq| self.place_of(*seq)).collect(),
        }
    }
}

impl Section<'_> {
    /// Keeps the window if it is that of the active path. In a section, so that no record is
    /// committed between the check and the first one that the window follows.
    fn hold_window(&self, window: ContextWindow, bytes: usize) -> bool {
        let current = window.leaf() == self.view().leaf();
        if current {
            let windows = &self.lane.shared.windows;
            windows.insert(self.lane.id(), window, bytes);
            if !self.lane.has_job() {
                // Nothing else would end the time that the window stays.
                windows.job_ends(self.lane.id());
            }
        }
        current
    }
}
