use std::collections::HashSet;

use scorel_client::{Caller, ClientError, Connect};
use scorel_proto::{
    Event, EventId, GetEvents, GetEventsParams, GetTree, GetTreeParams, PersistentBody, Seq,
    SessionId, TurnId,
};
use scorel_screen::{Layout, Line, Renderer, Theme, TimeZone};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

/// Writes the whole conversation, a page of records at a time. A pager that is left ends it.
pub(crate) async fn write_transcript<C: Connect>(
    caller: &Caller<C>,
    session_id: SessionId,
    (width, theme): (usize, Theme),
    out: &mut (impl AsyncWrite + Unpin),
) -> Result<(), ClientError> {
    let path = active_path(caller, session_id).await?;
    let layout = Layout {
        result_lines: 200,
        announces: false,
        ..Layout::new(width, TimeZone::system())
    };
    let mut renderer = Renderer::new(layout);
    let mut turns: HashSet<TurnId> = HashSet::new();
    let mut after = Seq::ZERO;
    loop {
        let params = GetEventsParams {
            session_id,
            after_seq: Some(after),
            before_seq: None,
            limit: Some(200),
            kinds: None,
        };
        let page = caller.call::<GetEvents>(&params).await?;
        let mut lines: Vec<Line> = Vec::new();
        for event in page.events.iter().filter_map(|it| it.decode().ok()) {
            after = event.seq();
            if is_shown(&event, &path, &mut turns) {
                renderer.event(&event, &mut lines);
            }
        }
        if !page.more {
            renderer.flush(&mut lines);
        }
        for line in lines {
            let painted = format!("{}\n", theme.paint(&line));
            if out.write_all(painted.as_bytes()).await.is_err() {
                return Ok(());
            }
        }
        if !page.more || page.events.is_empty() {
            // A pager that is gone needs nothing more.
            let _ = out.shutdown().await;
            return Ok(());
        }
    }
}

fn is_shown(event: &Event, path: &HashSet<EventId>, turns: &mut HashSet<TurnId>) -> bool {
    if event.id().is_some_and(|id| path.contains(&id)) {
        turns.extend(event.turn_id());
        return true;
    }
    match event {
        Event::Persistent(event) => {
            matches!(event.body, PersistentBody::TurnOutcome(_))
                && event.turn_id.is_some_and(|turn| turns.contains(&turn))
        }
        _ => false,
    }
}

async fn active_path<C: Connect>(
    caller: &Caller<C>,
    session_id: SessionId,
) -> Result<HashSet<EventId>, ClientError> {
    let mut parents = Vec::new();
    let mut after = None;
    let leaf = loop {
        let params = GetTreeParams {
            session_id,
            after_seq: after,
            limit: Some(10_000),
            previews: None,
        };
        let page = caller.call::<GetTree>(&params).await?;
        parents.extend(page.nodes.iter().map(|node| (node.id, node.parent_id)));
        after = page.nodes.last().map(|node| node.seq);
        if !page.more || after.is_none() {
            break page.active_leaf_id;
        }
    };
    let mut path = HashSet::new();
    let mut next = leaf;
    for (id, parent) in parents.into_iter().rev() {
        if next == Some(id) {
            path.insert(id);
            next = parent;
        }
    }
    Ok(path)
}
