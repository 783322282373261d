use scorel_proto::{BlobHash, Context, ContextWindow, EventId, RequestHasher, RequestProof, Seq};

use super::chat_message::{chat_messages, system};
use super::difference::Difference;
use super::line::{AuditProof, AuditRequest};
use super::session_past::SessionPast;
use super::tool_blob::ToolBlobs;

/// A request as the log has its parts.
#[derive(Debug, Clone)]
pub(super) struct RebuiltRequest {
    system: (Seq, String),
    context: Context,
    /// The record of each message.
    event_ids: Vec<EventId>,
}

impl RebuiltRequest {
    /// The request of an answer that attaches to `leaf`.
    pub(super) fn of(past: &mut SessionPast, leaf: Option<EventId>) -> Self {
        let (seq, system) = past.system();
        let system = (seq, system.to_owned());
        let window: &ContextWindow = past.window(leaf);
        Self {
            system,
            context: window.context().clone(),
            event_ids: window.items().map(|(item, _)| item.event_id).collect(),
        }
    }

    pub(super) fn shown(&self, tools: Option<&BlobHash>, blobs: &ToolBlobs) -> AuditRequest {
        let first = (!self.system.1.is_empty()).then(|| system(&self.system.1));
        let messages = self.context.iter().flat_map(chat_messages);
        let tools = tools.and_then(|name| blobs.get(name));
        AuditRequest {
            messages: first.into_iter().chain(messages).collect(),
            tools: tools.map(|blob| blob.tools.clone()).unwrap_or_default(),
        }
    }

    /// Compares it with what the record says; `proved` is the last request of the session that was the same.
    pub(super) fn compared(
        &self,
        recorded: Option<&RequestProof>,
        proved: Option<&Self>,
        blobs: &ToolBlobs,
    ) -> AuditProof {
        let Some(recorded) = recorded else {
            return AuditProof {
                matches: false,
                recorded_sha256: None,
                rebuilt_sha256: None,
                tool_set_digest: None,
                differences: vec![Difference::NotRecorded],
            };
        };
        let tools = &recorded.tool_set_digest;
        let mut differences = Vec::new();
        match blobs.get(tools) {
            None => differences.push(Difference::ToolsMissing),
            Some(blob) if !blob.is_whole => differences.push(Difference::Tools),
            Some(_) => {}
        }
        let rebuilt = self.sha256(tools);
        if rebuilt != recorded.request_sha256 {
            differences.extend(self.differing_from(proved));
        }
        AuditProof {
            matches: differences.is_empty(),
            recorded_sha256: Some(recorded.request_sha256.clone()),
            rebuilt_sha256: Some(rebuilt),
            tool_set_digest: Some(tools.clone()),
            differences,
        }
    }

    fn sha256(&self, tools: &BlobHash) -> String {
        let mut hasher = RequestHasher::new(&self.system.1, tools);
        self.context.iter().for_each(|message| hasher.add(message));
        hasher.proof().request_sha256
    }

    /// A hash says that something differs. What this request has in common with one that was proved does not.
    fn differing_from(&self, proved: Option<&Self>) -> Vec<Difference> {
        let mut found = Vec::new();
        if proved.is_none_or(|proved| proved.system != self.system) {
            found.push(Difference::System);
        }
        let same = proved.map_or(0, |proved| {
            let both = self.context.iter().zip(&proved.context);
            both.take_while(|(now, then)| now == then).count()
        });
        if same < self.context.len() {
            found.push(Difference::Messages {
                first: same,
                last: self.context.len() - 1,
                event_ids: self.event_ids[same..].to_vec(),
            });
        } else if found.is_empty() {
            found.push(Difference::Record);
        }
        found
    }
}
