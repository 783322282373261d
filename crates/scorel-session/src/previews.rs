//! `getTree` with previews: what the turns were about that end at the nodes of a page.

use std::sync::Arc;

use scorel_journal::RecordPosition;
use scorel_proto::{
    Block, FileHistory, GetTreeResult, Message, PersistentBody, Seq, TreeEntry, TurnId, opening,
};
use serde::Deserialize;

use crate::SessionError;
use crate::lane::{Lane, PublishedLane, decoded};

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
        self.read_log(move |lane| lane.described(page, sources))
            .await
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
            bytes += self.describe_turn(&source, &mut page.nodes[source.node])?;
        }
        Ok(page)
    }

    /// Tells of a node what its turn was about. Returns how many bytes were read.
    fn describe_turn(
        &self,
        source: &PreviewSource,
        node: &mut TreeEntry,
    ) -> Result<u64, SessionError> {
        let bytes = u64::from(source.first.len);
        // An event that cannot be decoded has no preview.
        let Some(Ok(event)) = self.read_intact(source.first)?.map(|line| decoded(&line)) else {
            return Ok(bytes);
        };
        node.turn_id = event.turn_id;
        node.preview = beginning(&event.body);
        if let PersistentBody::Message(body) = &event.body
            && matches!(body.message, Message::User(_))
        {
            node.user_event_id = Some(event.id);
        }
        match event.turn_id {
            Some(turn_id) => Ok(bytes + self.describe_end(turn_id, source, node)?),
            None => Ok(bytes),
        }
    }

    /// Tells what the turn did to files, and its outcome.
    fn describe_end(
        &self,
        turn_id: TurnId,
        source: &PreviewSource,
        node: &mut TreeEntry,
    ) -> Result<u64, SessionError> {
        let mut bytes = 0;
        let mut history = FileHistory::default();
        for place in &source.changing {
            bytes += u64::from(place.len);
            if let Some(Ok(event)) = self.read_intact(*place)?.map(|line| decoded(&line)) {
                history.apply(&event);
            }
        }
        // After the last message of the turn: what its runner did to files, and its outcome.
        for place in &source.after {
            bytes += u64::from(place.len);
            let Some(line) = self.read_intact(*place)? else {
                continue;
            };
            let Ok(head) = serde_json::from_slice::<RecordHead<'_>>(&line) else {
                continue;
            };
            match head.turn_id {
                Some(other) if other != turn_id => break,
                Some(_) if head.type_name == "runner_exit" => {
                    if let Ok(event) = decoded(&line) {
                        history.apply(&event);
                    }
                }
                Some(_) if head.type_name == "turn_outcome" => {
                    let reason = head.reason.map(serde_json::from_value);
                    node.outcome = reason.and_then(Result::ok);
                    break;
                }
                _ => {}
            }
        }
        let changed = history.files();
        let changed = changed.filter(|(_, file)| !file.after.is(&file.before));
        node.file_changes = Some(changed.count() as u64);
        Ok(bytes)
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
