use std::collections::HashMap;

use scorel_proto::{ContextWindow, EventId, PersistentBody, PersistentEvent, Seq, TreePlacement};

/// The records of a session up to a place in its log, as far as requests are made of them.
#[derive(Debug, Default)]
pub(super) struct SessionPast {
    /// The records of the tree.
    tree: HashMap<EventId, PersistentEvent>,
    /// Those that edit contexts, in log order.
    edits: Vec<PersistentEvent>,
    /// The system prompt, with the number of the record that brought it.
    system: Option<(Seq, String)>,
    window: ContextWindow,
    /// The window follows another path by now.
    is_elsewhere: bool,
}

impl SessionPast {
    pub(super) fn add(&mut self, event: &PersistentEvent) {
        if let PersistentBody::InstructionSnapshot(body) = &event.body {
            self.system = Some((event.seq, body.text()));
        }
        if event.body.edits_context() {
            self.edits.push(event.clone());
        }
        if event.body.place() == TreePlacement::Leaf {
            self.tree.insert(event.id, event.clone());
        }
        if !self.is_elsewhere {
            self.is_elsewhere = self.window.apply(event).is_err();
        }
    }

    /// The system prompt as of now, with the number of its record.
    pub(super) fn system(&self) -> (Seq, &str) {
        let system = self.system.as_ref();
        system.map_or((Seq::ZERO, ""), |(seq, text)| (*seq, text))
    }

    /// The context of the path that ends at `leaf`, as of now.
    pub(super) fn window(&mut self, leaf: Option<EventId>) -> &ContextWindow {
        if self.is_elsewhere || self.window.leaf() != leaf {
            self.window = ContextWindow::build(&self.path(leaf), &self.edits, leaf);
            self.is_elsewhere = false;
        }
        &self.window
    }

    /// From the root, or from a hole in the log.
    fn path(&self, leaf: Option<EventId>) -> Vec<PersistentEvent> {
        let mut path = Vec::new();
        let mut next = leaf;
        while let Some(event) = next.and_then(|id| self.tree.get(&id)) {
            path.push(event.clone());
            next = event.parent_id.filter(|_| path.len() <= self.tree.len());
        }
        path.reverse();
        path
    }
}
