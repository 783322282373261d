use scorel_client::{ClientError, new_command_id};
use scorel_proto::{
    Block, ErrorCode, QueueEdit, QueueItem, QueueItemId, QueueKind, RewriteQueueParams, SessionView,
};

use super::state::{App, Mode, QueueEditing};
use crate::call::Call;
use crate::picker::{Choice, Picker, PickerKind, PickerRow};
use crate::wording::failure;

impl App {
    /// Puts the last queued message into the composer. Returns false if there is none.
    pub(super) fn edit_queued(&mut self, view: &SessionView) -> bool {
        let Some(item) = view.state.queue.items.last() else {
            return false;
        };
        self.edit_item(item);
        true
    }

    fn edit_item(&mut self, item: &QueueItem) {
        let is_text = |block: &&Block| matches!(block, Block::Text { .. });
        self.composer.set(&text_of(item));
        self.editing = Some(QueueEditing {
            id: item.queue_item_id,
            kept: item
                .content
                .iter()
                .filter(|block| !is_text(block))
                .cloned()
                .collect(),
        });
        self.hint("editing a queued message: Enter keeps it, Esc leaves it as it was");
    }

    /// Opens the list of what waits.
    pub(super) fn list_queue(&mut self, view: &SessionView) {
        if view.state.queue.items.is_empty() {
            return self.hint("nothing waits in the queue");
        }
        let picker = Picker::new(PickerKind::Queue, queue_title(view), queue_rows(view));
        self.open_picker(picker);
    }

    /// The queue is another one now.
    pub(super) fn queue_changed(&mut self, view: &SessionView) {
        if let Mode::Picking(picker) = &mut self.mode
            && picker.kind == PickerKind::Queue
        {
            picker.refill(queue_rows(view));
        }
        let gone = self
            .editing
            .as_ref()
            .is_some_and(|editing| find(view, editing.id).is_none());
        if gone {
            self.editing = None;
            self.hint("the message you edit is no longer in the queue: Enter sends your text as a new one");
        }
    }

    pub(super) fn queue_letter(&mut self, letter: char, choice: &Choice, view: &SessionView) {
        let Choice::Queued(id) = *choice else {
            return;
        };
        let Some(place) = view
            .state
            .queue
            .items
            .iter()
            .position(|item| item.queue_item_id == id)
        else {
            return self.hint("that message is no longer in the queue");
        };
        let item = &view.state.queue.items[place];
        let to = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        let op = match letter {
            'e' => {
                self.mode = Mode::Composing;
                return self.edit_item(item);
            }
            'r' => QueueEdit::Remove { queue_item_id: id },
            'c' => QueueEdit::Convert {
                queue_item_id: id,
                kind: match item.kind {
                    QueueKind::FollowUp => QueueKind::Steer,
                    QueueKind::Steer => QueueKind::FollowUp,
                },
            },
            '<' => QueueEdit::Move {
                queue_item_id: id,
                position: to(place.saturating_sub(1)),
            },
            '>' => QueueEdit::Move {
                queue_item_id: id,
                position: to(place + 1),
            },
            'p' if view.state.queue.paused => QueueEdit::Resume {},
            'p' => QueueEdit::Pause {},
            _ => return,
        };
        self.rewrite(op, view);
    }

    fn rewrite(&mut self, op: QueueEdit, view: &SessionView) {
        if let Some(session_id) = self.session_id() {
            self.call(Call::RewriteQueue(Box::new(RewriteQueueParams {
                session_id,
                expected_version: view.state.queue.version,
                ops: vec![op],
                command_id: Some(new_command_id()),
            })));
        }
    }

    pub(super) fn queue_rewritten(
        &mut self,
        params: &RewriteQueueParams,
        result: Result<(), ClientError>,
        view: &SessionView,
    ) {
        let edited = params.ops.iter().find_map(|op| match op {
            QueueEdit::Edit { queue_item_id, .. } => Some(*queue_item_id),
            _ => None,
        });
        match (result, edited) {
            (Ok(()), Some(id)) if self.editing.as_ref().is_some_and(|it| it.id == id) => {
                self.editing = None;
                self.composer.set("");
                self.hint("the queued message is changed");
            }
            (Ok(()), _) => {}
            (Err(ClientError::Rpc(error)), Some(id)) if error.code == ErrorCode::Conflict => {
                if find(view, id).is_none() {
                    self.editing = None;
                    self.hint("that message is no longer in the queue: your text is here, Enter sends it as a new one");
                } else {
                    self.hint(
                        "the queue was changed meanwhile: your text is here, Enter tries again",
                    );
                }
            }
            (Err(ClientError::Rpc(error)), None) if error.code == ErrorCode::Conflict => {
                self.hint(
                    "the queue was changed meanwhile, and nothing was done: look and try again",
                );
            }
            (Err(error), _) => self.hint(failure(&error)),
        }
    }
}

fn find(view: &SessionView, id: QueueItemId) -> Option<&QueueItem> {
    view.state
        .queue
        .items
        .iter()
        .find(|item| item.queue_item_id == id)
}

fn queue_title(view: &SessionView) -> &'static str {
    match view.state.queue.paused {
        true => "Queue, paused",
        false => "Queue",
    }
}

fn queue_rows(view: &SessionView) -> Vec<PickerRow> {
    let rows = view.state.queue.items.iter().map(|item| PickerRow {
        label: first_line(item),
        detail: kind_text(item.kind).to_owned(),
        choice: Choice::Queued(item.queue_item_id),
    });
    rows.collect()
}

pub(crate) const fn kind_text(kind: QueueKind) -> &'static str {
    match kind {
        QueueKind::FollowUp => "follow-up",
        QueueKind::Steer => "steer",
    }
}

fn text_of(item: &QueueItem) -> String {
    let texts = item.content.iter().filter_map(|block| match block {
        Block::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

pub(crate) fn first_line(item: &QueueItem) -> String {
    let text = text_of(item);
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(200).collect()
}
