//! Methods that read a session: tree, events, blobs, resync. `putBlob` is here too.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use scorel_engine::spawn_blocking;
use scorel_journal::BlobError;
use scorel_proto::{
    GetBlobParams, GetBlobResult, GetContextParams, GetContextResult, GetEventsParams,
    GetEventsResult, GetTreeParams, GetTreeResult, GetTurnParams, PutBlobParams, PutBlobResult,
    ResyncParams, ResyncResult, TurnSummary,
};

use super::sessions::limit;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

/// Bytes of a blob per call, before base64: a reply of 6 MiB at most.
const MAX_BLOB_PART: u64 = 4 * 1024 * 1024;

/// Kinds that one call may look for.
const MAX_KINDS: usize = 64;

pub(super) async fn get_tree(host: Arc<Host>, params: GetTreeParams) -> Reply<GetTreeResult> {
    let lane = host.sessions.get(params.session_id).await?;
    let after = params.after_seq.unwrap_or_default();
    if params.previews == Some(true) {
        let limit = limit(params.limit, 200, 1000)?;
        return Ok(lane.tree_with_previews(after, limit).await?);
    }
    let limit = limit(params.limit, 1000, 10_000)?;
    Ok(lane.tree(after, limit)?)
}

pub(super) async fn get_events(host: Arc<Host>, params: GetEventsParams) -> Reply<GetEventsResult> {
    let limit = limit(params.limit, 100, 1000)?;
    let lane = host.sessions.get(params.session_id).await?;
    let Some(kinds) = params.kinds else {
        return Ok(lane
            .events(params.after_seq, params.before_seq, limit)
            .await?);
    };
    if kinds.is_empty() || kinds.len() > MAX_KINDS {
        let text = format!("`kinds` holds 1 to {MAX_KINDS} kinds");
        return Err(CallError::invalid_field("kinds", text));
    }
    let closed = |_| CallError::Internal("the search is closed".to_owned());
    let _place = host.searching.acquire().await.map_err(closed)?;
    let range = (params.after_seq, params.before_seq);
    Ok(lane.events_of_kinds(kinds, range, limit).await?)
}

pub(super) async fn get_turn(host: Arc<Host>, params: GetTurnParams) -> Reply<TurnSummary> {
    let lane = host.sessions.get(params.session_id).await?;
    let turn = lane.turn_summary(params.turn_id).await?;
    turn.ok_or_else(|| {
        let text = format!("the session has no turn {}", params.turn_id);
        CallError::invalid_field("turnId", text)
    })
}

pub(super) async fn get_context(
    host: Arc<Host>,
    params: GetContextParams,
) -> Reply<GetContextResult> {
    let lane = host.sessions.get(params.session_id).await?;
    Ok(lane.context_report().await?)
}

pub(super) async fn get_blob(host: Arc<Host>, params: GetBlobParams) -> Reply<GetBlobResult> {
    let lane = host.sessions.get(params.session_id).await?;
    spawn_blocking(move || {
        let blobs = lane.blobs();
        let size = blobs.len_of(&params.sha256)?;
        let offset = params.offset.unwrap_or(0);
        if offset > size {
            let text = format!("`offset` is beyond the blob's {size} bytes");
            return Err(CallError::invalid(text));
        }
        let length = params.length.unwrap_or(MAX_BLOB_PART).min(MAX_BLOB_PART);
        let end = offset.saturating_add(length).min(size);
        let bytes = if (offset, end) == (0, size) {
            blobs.get(&params.sha256)
        } else {
            blobs.get_range(&params.sha256, offset..end)
        };
        let data = BASE64.encode(bytes?);
        Ok(GetBlobResult { data, offset, size })
    })
    .await?
}

pub(super) async fn put_blob(host: Arc<Host>, params: PutBlobParams) -> Reply<PutBlobResult> {
    let lane = host.sessions.get(params.session_id).await?;
    lane.check_writable()?;
    spawn_blocking(move || {
        let decoded = BASE64.decode(&params.data);
        let bytes = decoded
            .map_err(|error| CallError::invalid(format!("`data` is not base64: {error}")))?;
        let size = bytes.len() as u64;
        if size > MAX_BLOB_PART {
            return Err(CallError::Blob(BlobError::TooLarge {
                len: size,
                max: MAX_BLOB_PART,
            }));
        }
        let sha256 = lane.blobs().put(&bytes)?;
        Ok(PutBlobResult { sha256, size })
    })
    .await?
}

pub(super) async fn resync(host: Arc<Host>, params: ResyncParams) -> Reply<ResyncResult> {
    Ok(host.sessions.resync(params).await?)
}
