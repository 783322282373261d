//! The log of a run's session, record by record, with the same ids each time.

use scorel_proto::{
    AssistantMessage, BlobHash, Block, ClientId, CustomBody, DueEngineTurn, ENGINE_TURN_KIND,
    EngineTurnBody, EventId, InstructionPart, InstructionSnapshotBody, Message, MessageBody, Meta,
    PersistentBody, PersistentEvent, RequestHasher, RequestProof, RunPhase, Seq, SessionId,
    StopReason, ToolResultBlock, ToolResultMessage, ToolStartedBody, TreePlacement, TurnId,
    UserMessage, build_context,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The tools of every request, as their blob has them.
pub(crate) const TOOLS: &str = r#"[{"name":"fs_read","description":"Reads a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}]"#;

const SYSTEM: &str = "You run a workflow.";

pub(crate) fn tools() -> BlobHash {
    let digest = format!("{:x}", Sha256::digest(TOOLS));
    digest.parse().expect("a hash")
}

#[derive(Default)]
pub(crate) struct RunLog {
    pub(crate) events: Vec<PersistentEvent>,
    calls: u64,
}

impl RunLog {
    /// A log with the system prompt of its requests.
    pub(crate) fn begun() -> Self {
        let mut log = Self::default();
        let part = InstructionPart {
            source: "base".to_owned(),
            text: SYSTEM.to_owned(),
            ..InstructionPart::default()
        };
        log.push(PersistentBody::InstructionSnapshot(
            InstructionSnapshotBody { parts: vec![part] },
        ));
        log
    }

    fn leaf(&self) -> Option<EventId> {
        let mut tree = self.events.iter().rev();
        let leaf = tree.find(|event| event.body.place() == TreePlacement::Leaf);
        leaf.map(|event| event.id)
    }

    pub(crate) fn push(&mut self, body: PersistentBody) {
        let number = self.events.len() as u64 + 1;
        let in_tree = body.place() != TreePlacement::Control;
        let mut id = [0; 16];
        id[8..].copy_from_slice(&number.to_be_bytes());
        self.events.push(PersistentEvent {
            id: EventId::from_bytes(id),
            parent_id: self.leaf().filter(|_| in_tree),
            seq: Seq::new(number).expect("a small number"),
            session_id: SessionId::from_bytes([1; 16]),
            client_id: ClientId::Daemon,
            ts: number * 10,
            turn_id: Some(TurnId::from_bytes([2; 16])),
            command_id: None,
            digest: None,
            origin: None,
            body,
            prev: None,
        });
    }

    pub(crate) fn user(&mut self, content: Vec<Block>) {
        let meta = Meta::default();
        let message = Message::User(UserMessage { content, meta });
        self.push(PersistentBody::Message(MessageBody::new(message)));
    }

    /// An answer with the proof of the request that these records make.
    pub(crate) fn answer(&mut self, content: Vec<Block>, stop_reason: StopReason) {
        let is_in_tree = |event: &&PersistentEvent| event.body.place() == TreePlacement::Leaf;
        let path: Vec<PersistentEvent> = self.events.iter().filter(is_in_tree).cloned().collect();
        let mut hasher = RequestHasher::new(SYSTEM, &tools());
        build_context(&path, &[])
            .iter()
            .for_each(|it| hasher.add(it));
        let message = Message::Assistant(AssistantMessage {
            content,
            model: "demo:demo".to_owned(),
            stop_reason,
            usage: None,
            cost: None,
            partial: false,
            meta: Meta {
                provider: Some(json!({"responseId": "r1"})),
                request: Some(Box::new(hasher.proof())),
                ..Meta::default()
            },
        });
        self.push(PersistentBody::Message(MessageBody::new(message)));
    }

    pub(crate) fn tool_runs(&mut self, id: &str, result: &Value) {
        self.push(PersistentBody::ToolStarted(ToolStartedBody {
            tool_call_id: id.to_owned(),
            tool_name: "fs_read".to_owned(),
            event_id: EventId::from_bytes([9; 16]),
            files: Vec::new(),
            ran_by: None,
            input: None,
            changed_by: Vec::new(),
        }));
        let block = ToolResultBlock {
            tool_use_id: id.to_owned(),
            content: vec![Block::text(result.to_string())],
            is_error: false,
            details: None,
        };
        let message = Message::ToolResult(ToolResultMessage::new("fs_read", block, 3));
        self.push(PersistentBody::Message(MessageBody::new(message)));
    }

    /// The record of the last call.
    pub(crate) fn recorded(&mut self, phase_after: Option<RunPhase>) {
        let (request, leaf_id, stop_reason) = self.last_answer();
        let due = DueEngineTurn {
            turn_id: TurnId::from_bytes([2; 16]),
            turn_index: u32::try_from(self.calls).expect("few"),
            phase: RunPhase::Running,
            node_id: "step-01".to_owned(),
            leaf_id,
            request,
            stop_reason,
        };
        let record = EngineTurnBody::of(&due, self.calls, phase_after);
        self.calls += 1;
        self.push(PersistentBody::Custom(CustomBody {
            kind: ENGINE_TURN_KIND.to_owned(),
            data: serde_json::to_value(record).expect("keys are texts"),
        }));
    }

    fn last_answer(&self) -> (RequestProof, Option<EventId>, StopReason) {
        let mut answers = self
            .events
            .iter()
            .rev()
            .filter_map(|event| match &event.body {
                PersistentBody::Message(body) => match &body.message {
                    Message::Assistant(answer) => Some((event, answer)),
                    _ => None,
                },
                _ => None,
            });
        let (event, answer) = answers.next().expect("an answer");
        let request = answer.meta.request.as_ref().expect("it is proved");
        (
            RequestProof::clone(request),
            event.parent_id,
            answer.stop_reason,
        )
    }
}
