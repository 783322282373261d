//! `getTree` with previews: what the turns were about that end at the nodes of a page.

use std::sync::Arc;

use scorel_journal::RecordPosition;
use scorel_proto::{
    Block, EventId, FileHistory, GetTreeResult, Message, OutcomeReason, PersistentBody, Seq,
    TurnId, opening,
};
use serde::Deserialize;

use crate::lane::{Lane, PublishedLane, decoded};
use crate::{SessionError, blocking};

/// About how many bytes of records one page reads.
const READ_BYTES: u64 = 4 * 1024 * 1024;

/// How many records after the last message of a turn are searched for its outcome. Between the two
/// stand changes of the queue and the waits of a turn that was cancelled while it waited.
const OUTCOME_WITHIN: usize = 64;

/// Where the log has what a preview tells.
struct PreviewSource {
    /// Index of the node in the page.
    node: usize,
    /// The first event after the turn before.
    first: RecordPosition,
    /// Those that record changes of files, in the order of the log.
    changing: Vec<RecordPosition>,
    after: Vec<RecordPosition>,
}

/// What one turn was about.
#[derive(Default)]
struct TurnPreview {
    turn_id: Option<TurnId>,
    user_event_id: Option<EventId>,
    preview: Option<String>,
    outcome: Option<OutcomeReason>,
    file_changes: Option<u64>,
    bytes: u64,
}

/// As much of a record as the search for an outcome needs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RecordHead<'a> {
    #[serde(rename = "type", borrow)]
    type_name: std::borrow::Cow<'a, str>,
    turn_id: Option<TurnId>,
    reason: Option<serde_json::Value>,
}

impl Lane {
    /// As [`Lane::tree`], with previews. A page ends early where it would read too much of the log.
    ///
    /// # Errors
    ///
    /// If the session is gone or its log cannot be read.
    pub async fn tree_with_previews(
        self: &Arc<Self>,
        after: Seq,
        limit: usize,
    ) -> Result<GetTreeResult, SessionError> {
        let page = self.tree(after, limit)?;
        let sources = self.published().preview_sources(&page);
        let lane = Arc::clone(self);
        let described = blocking(move || lane.described(page, sources)).await?;
        if self.is_reread_due() {
            self.section(|_| ()).await?;
        }
        described
    }

    fn described(
        &self,
        mut page: GetTreeResult,
        sources: Vec<PreviewSource>,
    ) -> Result<GetTreeResult, SessionError> {
        let mut bytes = 0;
        for source in sources {
            if bytes > READ_BYTES {
                page.nodes.truncate(source.node);
                page.more = true;
                break;
            }
            let preview = self.preview(&source)?;
            bytes += preview.bytes;
            let node = &mut page.nodes[source.node];
            node.turn_id = preview.turn_id;
            node.user_event_id = preview.user_event_id;
            node.preview = preview.preview;
            node.outcome = preview.outcome;
            node.file_changes = preview.file_changes;
        }
        Ok(page)
    }

    fn preview(&self, source: &PreviewSource) -> Result<TurnPreview, SessionError> {
        let mut preview = TurnPreview {
            bytes: u64::from(source.first.len),
            ..TurnPreview::default()
        };
        let Some(line) = self.read_intact(source.first)? else {
            return Ok(preview);
        };
        // An event that cannot be decoded has no preview.
        let Ok(event) = decoded(&line) else {
            return Ok(preview);
        };
        preview.turn_id = event.turn_id;
        preview.preview = beginning(&event.body);
        if let PersistentBody::Message(body) = &event.body
            && matches!(body.message, Message::User(_))
        {
            preview.user_event_id = Some(event.id);
        }
        if let Some(turn_id) = event.turn_id {
            let mut history = self.changes(source, &mut preview)?;
            self.read_end(turn_id, source, &mut history, &mut preview)?;
            let changed = history.files();
            let changed = changed.filter(|(_, file)| !file.after.is(&file.before));
            preview.file_changes = Some(changed.count() as u64);
        }
        Ok(preview)
    }

    /// What the messages of the turn did to files.
    fn changes(
        &self,
        source: &PreviewSource,
        preview: &mut TurnPreview,
    ) -> Result<FileHistory, SessionError> {
        let mut history = FileHistory::default();
        for place in &source.changing {
            preview.bytes += u64::from(place.len);
            let line = self.read_intact(*place)?;
            if let Some(Ok(event)) = line.map(|line| decoded(&line)) {
                history.apply(&event);
            }
        }
        Ok(history)
    }

    /// Reads what follows the last message of the turn: what its runner did to files, and its outcome.
    fn read_end(
        &self,
        turn_id: TurnId,
        source: &PreviewSource,
        history: &mut FileHistory,
        preview: &mut TurnPreview,
    ) -> Result<(), SessionError> {
        for place in &source.after {
            preview.bytes += u64::from(place.len);
            let Some(line) = self.read_intact(*place)? else {
                continue;
            };
            let Ok(head) = serde_json::from_slice::<RecordHead<'_>>(&line) else {
                continue;
            };
            match head.turn_id {
                Some(other) if other != turn_id => return Ok(()),
                Some(_) if head.type_name == "runner_exit" => {
                    if let Ok(event) = decoded(&line) {
                        history.apply(&event);
                    }
                }
                Some(_) if head.type_name == "turn_outcome" => {
                    let reason = head.reason.map(serde_json::from_value);
                    preview.outcome = reason.and_then(Result::ok);
                    return Ok(());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl PublishedLane<'_> {
    fn preview_sources(&self, page: &GetTreeResult) -> Vec<PreviewSource> {
        let ends = page.nodes.iter().enumerate();
        ends.filter(|(_, node)| node.turn_end)
            .filter_map(|(index, node)| {
                let tree = &self.view().tree;
                let (mut first, mut changing) = (node.seq, Vec::new());
                let turn = tree.up_from(Some(node.id));
                let turn = turn.take_while(|above| above.id == node.id || !above.turn_end);
                for part in turn {
                    first = part.seq;
                    changing.extend(part.changes_files.then_some(part.seq));
                }
                let changing = changing.into_iter().rev();
                let after = self.places_after(node.seq);
                Some(PreviewSource {
                    node: index,
                    first: self.place_of(first)?,
                    changing: changing.filter_map(|seq| self.place_of(seq)).collect(),
                    after: after[..after.len().min(OUTCOME_WITHIN)].to_vec(),
                })
            })
            .collect()
    }
}

fn beginning(body: &PersistentBody) -> Option<String> {
    let of = |message: &Message| match message {
        Message::User(message) => opening(&message.content),
        Message::Internal(message) => opening(&message.content),
        Message::Assistant(message) => opening(&message.content),
        Message::ToolResult(_) => None,
    };
    match body {
        PersistentBody::Message(body) => of(&body.message),
        PersistentBody::CustomMessage(body) => of(&body.message),
        PersistentBody::Compact(body) => opening(&[Block::text(body.summary.as_str())]),
        _ => None,
    }
}
