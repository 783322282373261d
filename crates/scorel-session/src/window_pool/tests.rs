use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{
    ClientId, ContextWindow, EventId, Message, MessageBody, PersistentBody, PersistentEvent,
    RewindBody, Seq, SessionId,
};
use tokio::time::advance;

use super::WindowPool;

fn event(parent: Option<EventId>, body: PersistentBody) -> PersistentEvent {
    PersistentEvent {
        id: EventId::generate(),
        parent_id: parent,
        seq: Seq::ZERO,
        session_id: SessionId::from_bytes([0; 16]),
        client_id: ClientId::Daemon,
        ts: 0,
        turn_id: None,
        command_id: None,
        digest: None,
        origin: None,
        body,
        prev: None,
    }
}

fn said(parent: Option<EventId>) -> PersistentEvent {
    let message = Message::user("hello");
    let queue_item_id = None;
    event(
        parent,
        PersistentBody::Message(MessageBody {
            queue_item_id,
            ..MessageBody::new(message)
        }),
    )
}

/// Sessions that each have a window of 100 bytes, and the leaf of all of them.
fn filled(pool: &WindowPool, count: usize) -> (Vec<SessionId>, Option<EventId>) {
    let root = said(None);
    let leaf = Some(root.id);
    let ids: Vec<SessionId> = (0..count).map(|_| SessionId::generate()).collect();
    for id in &ids {
        pool.insert(
            *id,
            ContextWindow::build(std::slice::from_ref(&root), &[], leaf),
            100,
        );
    }
    (ids, leaf)
}

fn held(pool: &WindowPool, ids: &[SessionId]) -> Vec<bool> {
    ids.iter().map(|id| pool.peek(*id).is_some()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_window_follows_its_path_and_a_rewind_drops_it() {
    let pool = WindowPool::new(1_000);
    let (ids, leaf) = filled(&pool, 1);
    let next = said(leaf);
    pool.apply(ids[0], &next, 10);
    let len = |window: &ContextWindow| window.context().len();
    assert_eq!(pool.read(ids[0], leaf, len), None, "of an older leaf");
    assert_eq!(pool.read(ids[0], Some(next.id), len), Some(2));
    let target_event_id = leaf;
    let back = PersistentBody::Rewind(RewindBody {
        target_event_id,
        files: Vec::new(),
    });
    pool.apply(ids[0], &event(Some(next.id), back), 10);
    assert_eq!(held(&pool, &ids), [false]);
    assert_eq!(pool.windows.lock().bytes, 0);
}

#[tokio::test(start_paused = true)]
async fn a_window_stays_for_a_minute_after_its_job() {
    let pool = WindowPool::new(1_000);
    let (ids, _) = filled(&pool, 2);
    pool.job_ends(ids[0]);
    advance(Duration::from_secs(59)).await;
    let _ = pool.expire();
    assert_eq!(held(&pool, &ids), [true, true]);
    advance(Duration::from_secs(1)).await;
    let _ = pool.expire();
    assert_eq!(held(&pool, &ids), [false, true], "a job runs in the second");
    pool.job_ends(ids[1]);
    advance(Duration::from_secs(30)).await;
    pool.job_begins(ids[1]);
    advance(Duration::from_secs(90)).await;
    let _ = pool.expire();
    assert_eq!(held(&pool, &ids), [false, true]);
}

#[tokio::test(start_paused = true)]
async fn what_is_rendered_of_a_conversation_goes_with_its_window() {
    let pool = WindowPool::new(1_000);
    let (ids, leaf) = filled(&pool, 1);
    let rendered = Arc::new("[]");
    let keep = |window: &ContextWindow| window.context().rendered().keep(Arc::clone(&rendered));
    assert_eq!(pool.read(ids[0], leaf, keep), Some(()));
    pool.job_ends(ids[0]);
    advance(Duration::from_secs(59)).await;
    let _ = pool.expire();
    assert_eq!(Arc::strong_count(&rendered), 2);
    advance(Duration::from_secs(1)).await;
    let _ = pool.expire();
    assert_eq!(Arc::strong_count(&rendered), 1);
}

#[tokio::test(start_paused = true)]
async fn over_the_budget_the_window_that_is_idle_longest_goes_first() {
    let pool = WindowPool::new(400);
    let (ids, leaf) = filled(&pool, 4);
    for id in [ids[2], ids[0]] {
        pool.job_ends(id);
        advance(Duration::from_secs(1)).await;
    }
    pool.apply(ids[1], &said(leaf), 1);
    assert_eq!(held(&pool, &ids), [true, true, false, true]);
    pool.insert(ids[2], ContextWindow::default(), 100);
    assert_eq!(held(&pool, &ids), [false, true, true, true]);
    // None is idle any more. The one that grows stays for as long as it fits alone.
    pool.apply(ids[3], &said(leaf), 150);
    assert!(held(&pool, &ids)[3]);
    assert!(pool.windows.lock().bytes <= 400);
    pool.insert(ids[3], ContextWindow::default(), 401);
    assert_eq!(held(&pool, &ids), [false; 4]);
    assert_eq!(pool.windows.lock().bytes, 0);
}

/// A deleted session's window goes before its time, long after its job.
#[tokio::test(start_paused = true)]
async fn a_job_that_ends_and_any_window_that_goes_leave_memory_to_give_back() {
    let pool = WindowPool::new(200);
    let (ids, _) = filled(&pool, 2);
    let sweeps = || [(); 3].map(|()| pool.take_give_back());
    let twice = [true, true, false];
    assert_eq!(sweeps(), [true, false, false], "after the start");
    pool.job_ends(ids[0]);
    assert_eq!(sweeps(), twice);
    pool.remove(ids[0]);
    assert_eq!(sweeps(), twice);
    pool.remove(ids[0]);
    assert_eq!(sweeps(), [false; 3], "it was gone");
    pool.insert(ids[0], ContextWindow::default(), 200);
    assert_eq!(held(&pool, &ids), [true, false]);
    assert_eq!(sweeps(), twice, "one went for the budget");
    pool.job_ends(ids[0]);
    assert_eq!(sweeps(), twice);
    advance(Duration::from_secs(60)).await;
    assert_eq!(pool.expire(), [ids[0]]);
    assert_eq!(sweeps(), twice);
}
