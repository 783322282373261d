//! The project's files: one line of states, whatever the branch.

use std::collections::BTreeMap;

use super::{Label, Reference, Refusal};

#[derive(Debug, Clone, Default)]
pub(crate) struct Files {
    pub(crate) now: BTreeMap<&'static str, Option<Label>>,
    changes: Vec<Change>,
}

#[derive(Debug, Clone)]
struct Change {
    /// Twice the number of its node; one less than that of the next node, if it has none.
    place: usize,
    name: &'static str,
    before: Option<Label>,
}

impl Reference {
    /// The next node is the result of a tool that wrote.
    pub(crate) fn file_written(&mut self, name: &'static str, label: Label) {
        let place = 2 * self.nodes.len();
        self.files.change(place, name, Some(label));
    }

    /// Files become what they were before a node.
    pub(crate) fn restore(&mut self, before: usize) -> Result<(), Refusal> {
        if self.is_busy() {
            return Err(Refusal::Busy);
        }
        let place = 2 * self.nodes.len() - 1;
        for name in self.files.now.keys().copied().collect::<Vec<_>>() {
            let mut changes = self.files.changes.iter();
            let first = changes.find(|change| change.name == name && change.place >= 2 * before);
            if let Some(state) = first.map(|change| change.before) {
                self.files.change(place, name, state);
            }
        }
        Ok(())
    }
}

impl Files {
    fn change(&mut self, place: usize, name: &'static str, after: Option<Label>) {
        let before = self.now.insert(name, after).flatten();
        if before != after {
            self.changes.push(Change {
                place,
                name,
                before,
            });
        }
    }
}
