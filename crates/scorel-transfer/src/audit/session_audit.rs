use scorel_proto::{
    AssistantMessage, Block, ENGINE_TURN_KIND, EngineTurnBody, Message, PersistentBody,
    PersistentEvent, RequestProof,
};
use serde::Deserialize as _;

use super::chat_message::assistant;
use super::difference::Difference;
use super::line::{AuditLine, AuditResponse, AuditUi};
use super::rebuilt_request::RebuiltRequest;
use super::session_past::SessionPast;
use super::tool_blob::ToolBlobs;
use super::tool_run::AuditToolRun;

/// Makes the lines of one session of a run.
#[derive(Debug)]
pub struct SessionAudit<'a> {
    tools: &'a ToolBlobs,
    past: SessionPast,
    /// The call that has its answer, and not yet its record.
    open: Option<AuditLine>,
    /// The last request that is as it was.
    proved: Option<RebuiltRequest>,
}

impl<'a> SessionAudit<'a> {
    /// `tools` has the blobs that the session's records name.
    pub fn new(tools: &'a ToolBlobs) -> Self {
        Self {
            tools,
            past: SessionPast::default(),
            open: None,
            proved: None,
        }
    }

    /// Takes the next record of the log. Returns the line of a call that is complete with it.
    pub fn add(&mut self, event: &PersistentEvent) -> Option<AuditLine> {
        let done = match &event.body {
            // A copy is of another session's call.
            _ if event.origin.is_some() => None,
            PersistentBody::Message(body) => match &body.message {
                Message::Assistant(answer) if answer.meta.runner.is_none() => {
                    let line = self.answered(event, answer);
                    self.open.replace(line)
                }
                Message::ToolResult(message) => {
                    if let Some(run) = self.run_of(&message.result().tool_use_id) {
                        run.ended(message, event.ts);
                    }
                    None
                }
                _ => None,
            },
            PersistentBody::ToolStarted(body) => {
                if let Some(run) = self.run_of(&body.tool_call_id) {
                    run.started(body, event.ts);
                }
                None
            }
            PersistentBody::Custom(body) if body.kind == ENGINE_TURN_KIND => {
                let record = EngineTurnBody::deserialize(&body.data).ok();
                let line = self.open.take();
                line.map(|line| recorded(line, record))
            }
            _ => None,
        };
        self.past.add(event);
        done
    }

    /// The line of a call that has no record, at the end of the log.
    pub fn end(self) -> Option<AuditLine> {
        self.open
    }

    fn run_of(&mut self, tool_call_id: &str) -> Option<&mut AuditToolRun> {
        let runs = &mut self.open.as_mut()?.tool_runs;
        runs.iter_mut().find(|run| run.tool_call_id == tool_call_id)
    }

    fn answered(&mut self, event: &PersistentEvent, answer: &AssistantMessage) -> AuditLine {
        let request = RebuiltRequest::of(&mut self.past, event.parent_id);
        let recorded: Option<&RequestProof> = answer.meta.request.as_deref();
        let proof = request.compared(recorded, self.proved.as_ref(), self.tools);
        let shown = request.shown(proof.tool_set_digest.as_ref(), self.tools);
        if proof.recorded_sha256.is_some() && proof.recorded_sha256 == proof.rebuilt_sha256 {
            self.proved = Some(request);
        }
        AuditLine {
            id: None,
            session_id: event.session_id,
            turn_id: event.turn_id,
            event_id: event.id,
            turn_index: None,
            node_id: None,
            phase_before: None,
            request: shown,
            response: AuditResponse {
                assistant: assistant(answer),
                model: answer.model.clone(),
                stop_reason: answer.stop_reason,
                partial: answer.partial,
                usage: answer.usage,
                cost: answer.cost,
                provider: answer.meta.provider.clone(),
            },
            tool_runs: calls(answer),
            ui_after: None,
            proof,
        }
    }
}

fn calls(answer: &AssistantMessage) -> Vec<AuditToolRun> {
    let calls = answer.tool_uses().filter_map(|block| match block {
        Block::ToolUse {
            id, name, input, ..
        } => Some(AuditToolRun::called(id, name, input)),
        _ => None,
    });
    calls.collect()
}

/// The line of a call with what its record says.
fn recorded(mut line: AuditLine, record: Option<EngineTurnBody>) -> AuditLine {
    let Some(record) = record else { return line };
    let sha256 = line.proof.recorded_sha256.as_ref();
    if sha256 != Some(&record.request.request_sha256) {
        line.proof.matches = false;
        line.proof.differences.push(Difference::EngineTurn);
    }
    line.ui_after = record.phase_after.map(|phase| AuditUi {
        phase,
        stop_reason: record.stop_reason,
    });
    line.turn_index = Some(record.turn_index);
    line.node_id = Some(record.node_id);
    line.phase_before = Some(record.phase_before);
    line.id = Some(record.id);
    line
}
