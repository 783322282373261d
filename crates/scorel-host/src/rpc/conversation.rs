//! Methods that drive a session's turns: `sendMessage`, `rewriteQueue`, `cancel`, `compact`,
//! `listQuestions`, `respondPermission`.

use std::sync::Arc;

use scorel_inbound::ChannelSender;
use scorel_journal::MAX_RECORD;
use scorel_proto::{
    Block, Cancel, CancelChildren, CancelParams, CancelResult, Compact, CompactParams,
    CompactResult, ListQuestionsParams, ListQuestionsResult, PermissionDecision,
    PermissionDecisionBody, QueueEdit, RespondPermission, RespondPermissionParams, RewriteQueue,
    RewriteQueueParams, RewriteQueueResult, SendMessage, SendMessageParams, SendMessageResult,
    SeqResult,
};
use scorel_rpc::RpcCall;
use scorel_session::{
    CancelAndClear, MutationCommand, PermissionResponse, QuestionFilter, QueueRewrite, SendRequest,
    SessionError,
};

use super::caller::{client, command};
use super::channel_command::channel_command;
use super::sessions::{check_model, check_name, check_runner, limit};
use crate::host::Host;
use crate::rpc::attachments::attachments;
use crate::rpc::call_error::{CallError, Reply};
use crate::rpc::message_pictures;

/// They are part of every request for the summary.
const MAX_INSTRUCTIONS: usize = 16 * 1024;

pub(super) async fn send(
    host: Arc<Host>,
    call: RpcCall,
    mut params: SendMessageParams,
) -> Reply<SendMessageResult> {
    let command = match params.channel {
        Some(_) => channel_command(&host, ChannelSender::Client, &params)?,
        None => command::<SendMessage>(&call, params.command_id.take(), &params)?,
    };
    accept(&host, command, params).await
}

/// Accepts a message by its command, once.
pub(super) async fn accept(
    host: &Arc<Host>,
    command: MutationCommand,
    mut params: SendMessageParams,
) -> Reply<SendMessageResult> {
    params.content.0 = Block::typed(params.content.0);
    check_content("content", &params.content.0)?;
    check_name("model", params.model.as_deref())?;
    check_runner(host, params.runner.as_deref())?;
    let lane = host.sessions.get(params.session_id).await?;
    // A repeated command reads no file again: they may be others by now, or gone.
    let receipt = lane.receipt(&command)?;
    if let Some(answer) = receipt.and_then(|it| it.sent()) {
        return Ok(answer);
    }
    check_model(host, &lane, params.model.as_deref(), None).await?;
    let mut content = message_pictures::checked(&lane, "content", params.content.0).await?;
    content.extend(attachments(host, &lane, &params.attachments).await?);
    let request = SendRequest {
        command,
        content,
        while_running: params.while_running.unwrap_or_default(),
        parent_event_id: params.parent_event_id,
        expected_leaf_id: params.expected_leaf_id,
        model: params.model,
        runner: params.runner,
        mode: params.mode,
        channel: params.channel,
    };
    Ok(lane.mutate(request).await?)
}

/// A user's message has text, images, blobs and attachments; other blocks come from models and tools.
pub(super) fn check_content(field: &'static str, content: &[Block]) -> Result<(), CallError> {
    let invalid = |text: &str| Err(CallError::invalid_field(field, format!("`{field}` {text}")));
    let plain = |block: &Block| {
        matches!(
            block,
            Block::Text { .. } | Block::Image { .. } | Block::Blob { .. }
        )
    };
    let allowed = |block: &Block| match block {
        // From a message that is sent again.
        Block::Attachment(file) => file.content.iter().all(plain),
        block => plain(block),
    };
    if !content.iter().all(allowed) {
        return invalid("holds text, images, blobs and attachments only");
    }
    let empty = |block: &Block| matches!(block, Block::Text { text, .. } if text.trim().is_empty());
    if content.iter().all(empty) {
        return invalid("is empty");
    }
    // Longer text cannot fit into a record. Checked before it is serialized.
    if content.iter().map(text_len).sum::<usize>() > MAX_RECORD {
        let limit = MAX_RECORD as u64;
        return Err(SessionError::TooLarge { limit }.into());
    }
    Ok(())
}

fn text_len(block: &Block) -> usize {
    match block {
        Block::Text { text, .. } => text.len(),
        Block::Attachment(file) => file.content.iter().map(text_len).sum(),
        _ => 0,
    }
}

/// The limit of operations in one `rewriteQueue`.
const MAX_QUEUE_OPS: usize = 100;

pub(super) async fn rewrite_queue(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RewriteQueueParams,
) -> Reply<RewriteQueueResult> {
    if params.ops.is_empty() || params.ops.len() > MAX_QUEUE_OPS {
        let text = format!("`ops` holds 1 to {MAX_QUEUE_OPS} operations");
        return Err(CallError::invalid_field("ops", text));
    }
    let command = command::<RewriteQueue>(&call, params.command_id.take(), &params)?;
    for op in &mut params.ops {
        if let QueueEdit::Add { content, .. } | QueueEdit::Edit { content, .. } = op {
            content.0 = Block::typed(std::mem::take(&mut content.0));
            check_content("ops", &content.0)?;
        }
    }
    let lane = host.sessions.get(params.session_id).await?;
    for op in &mut params.ops {
        if let QueueEdit::Add { content, .. } | QueueEdit::Edit { content, .. } = op {
            let given = std::mem::take(&mut content.0);
            content.0 = message_pictures::checked(&lane, "ops", given).await?;
        }
    }
    let rewrite = QueueRewrite {
        command,
        expected_version: params.expected_version,
        edits: params.ops,
    };
    Ok(lane.mutate(rewrite).await?)
}

/// Without `clearQueue` and `children` it is answered from memory, but for a restore, and `commandId` is
/// ignored.
pub(super) async fn cancel(
    host: Arc<Host>,
    call: RpcCall,
    mut params: CancelParams,
) -> Reply<CancelResult> {
    let lane = host.sessions.get(params.session_id).await?;
    let clears = params.clear_queue == Some(true);
    if !clears && params.children.is_none() {
        let cancelled = lane.cancel(params.expected_turn_id);
        let seq = match cancelled {
            true => lane.record_cancelled_restore(client(&call)).await?,
            false => None,
        };
        return Ok(CancelResult {
            cancelled,
            seq,
            storage_stalled: lane.storage_stall(),
        });
    }
    let command = command::<Cancel>(&call, params.command_id.take(), &params)?;
    let cancel = CancelAndClear {
        command,
        expected: params.expected_turn_id,
        clears,
        stops_children: params.children == Some(CancelChildren::All),
    };
    Ok(lane.mutate(cancel).await?)
}

pub(super) async fn compact(
    host: Arc<Host>,
    call: RpcCall,
    mut params: CompactParams,
) -> Reply<CompactResult> {
    check_instructions(params.instructions.as_deref())?;
    let command = command::<Compact>(&call, params.command_id.take(), &params)?;
    let lane = host.sessions.get(params.session_id).await?;
    Ok(lane.compact(command, params.instructions).await?)
}

fn check_instructions(instructions: Option<&str>) -> Result<(), CallError> {
    let too_long = |text: &&str| text.len() > MAX_INSTRUCTIONS;
    if instructions.filter(too_long).is_some() {
        let text = format!("`instructions` is longer than {MAX_INSTRUCTIONS} bytes");
        return Err(CallError::invalid_field("instructions", text));
    }
    Ok(())
}

pub(super) async fn list_questions(
    host: Arc<Host>,
    params: ListQuestionsParams,
) -> Reply<ListQuestionsResult> {
    let filter = QuestionFilter {
        session_id: params.session_id,
        limit: limit(params.limit, 50, 200)?,
        after: params.cursor,
    };
    Ok(host.sessions.list_questions(filter).await?)
}

pub(super) async fn respond(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RespondPermissionParams,
) -> Reply<SeqResult> {
    check_name("reason", params.reason.as_deref())?;
    if params.decision == PermissionDecision::Cancelled {
        let text = "`cancelled` is set by the end of a turn; answer `deny`, or cancel the turn";
        return Err(CallError::invalid_field("decision", text));
    }
    let command = command::<RespondPermission>(&call, params.command_id.take(), &params)?;
    let decision = PermissionDecisionBody {
        request_id: params.request_id,
        decision: params.decision,
        reason: params.reason,
        by: None,
    };
    let lane = host.sessions.get(params.session_id).await?;
    let seq = lane
        .mutate(PermissionResponse { command, decision })
        .await?;
    Ok(SeqResult { seq })
}
