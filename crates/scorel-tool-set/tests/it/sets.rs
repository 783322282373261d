//! Sets of tools from sources that are late, change and go.

use std::time::Duration;

use scorel_proto::{Message, ToolSetBody};
use scorel_tool_set::{ToolSets, TurnTools};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::fakes::{FakeSource, Kept, listed, sources};

/// A session's turns.
#[derive(Default)]
struct Turns {
    sets: ToolSets,
    blobs: Kept,
    known: Option<ToolSetBody>,
    told: Option<Value>,
    is_due: bool,
    refused: Vec<String>,
}

const WINDOW: u64 = 200_000;

impl Turns {
    async fn next(&mut self, of: &[&FakeSource]) -> TurnTools {
        self.with_window(of, WINDOW).await
    }

    async fn with_window(&mut self, of: &[&FakeSource], window: u64) -> TurnTools {
        let wish = scorel_tool_set::ToolWish {
            sources: &sources(of),
            known: self.known.as_ref(),
            is_due: self.is_due,
            told: self.told.as_ref(),
            refused: &self.refused,
            window,
            blobs: &self.blobs,
        };
        let turn = self.sets.turn(wish).await.expect("tools");
        if let Some(set) = &turn.set {
            self.known = Some(set.clone());
        }
        if let Some(message) = &turn.message {
            self.told.clone_from(&message.data);
        }
        (self.is_due, self.refused) = (false, Vec::new());
        turn
    }

    /// Another daemon goes on.
    fn restart(&mut self) {
        self.sets = ToolSets::default();
    }
}

fn names(turn: &TurnTools) -> Vec<&str> {
    let offered = turn.offered.iter();
    offered.map(|tool| tool.spec().name.as_str()).collect()
}

fn text(turn: &TurnTools) -> String {
    match &turn.message.as_ref().expect("a message").message {
        Message::Internal(message) => scorel_proto::Block::plain_text_of(&message.content),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_source_is_left_out_and_named_and_its_tools_are_told_once() {
    let (fast, slow) = (FakeSource::new("mcp:fast"), FakeSource::new("mcp:slow"));
    fast.list(vec![listed("b", "B."), listed("a", "A.")]);
    slow.hang();
    let mut turns = Turns::default();
    let began = Instant::now();
    let first = turns.next(&[&slow, &fast]).await;
    assert!(began.elapsed() < Duration::from_secs(6));
    assert_eq!(names(&first), ["mcp__fast__a", "mcp__fast__b"]);
    assert_eq!(first.notices[0].code, "tools_late.mcp:slow");
    assert!(first.message.is_none());
    let began = Instant::now();
    slow.list(vec![listed("late", "Late.")]);
    let second = turns.next(&[&slow, &fast]).await;
    assert_eq!(began.elapsed(), Duration::ZERO, "it waits for none");
    assert_eq!((names(&second), &second.set), (names(&first), &None));
    assert!(text(&second).contains("mcp__slow__late"));
    assert!(turns.next(&[&slow, &fast]).await.message.is_none(), "once");
    turns.is_due = true;
    let renewed = turns.next(&[&slow, &fast]).await;
    assert_eq!(names(&renewed).len(), 3);
    assert!(renewed.set.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_set_is_read_from_its_blob_and_needs_no_source() {
    let source = FakeSource::new("mcp:one");
    source.list(vec![listed("a", "A.")]);
    let mut turns = Turns::default();
    let first = turns.next(&[&source]).await;
    turns.restart();
    source.hang();
    let second = turns.next(&[&source]).await;
    let (before, after) = (first.offered[0].spec(), second.offered[0].spec());
    assert_eq!(before, after);
    turns.restart();
    let gone = turns.next(&[]).await;
    assert_eq!(gone.offered[0].spec(), before, "it stays");
    turns.restart();
    turns.blobs.lose();
    source.list(vec![listed("a", "A.")]);
    assert!(turns.next(&[&source]).await.set.is_some(), "made anew");
}

#[tokio::test(start_paused = true)]
async fn a_renewal_keeps_tools_of_a_source_that_lists_nothing_and_drops_those_of_none() {
    let (one, other) = (FakeSource::new("mcp:one"), FakeSource::new("mcp:other"));
    one.list(vec![listed("a", "A.")]);
    other.list(vec![listed("b", "B.")]);
    let mut turns = Turns::default();
    turns.next(&[&one, &other]).await;
    one.fail("it exited");
    turns.is_due = true;
    let renewed = turns.next(&[&one]).await;
    assert_eq!(names(&renewed), ["mcp__one__a"]);
    assert_eq!(renewed.notices[0].code, "tools_missing.mcp:one");
}

#[tokio::test(start_paused = true)]
async fn many_or_large_tools_are_searched_for() {
    let source = FakeSource::new("mcp:big");
    let few = |count: usize| (0..count).map(|it| listed(&format!("t{it}"), "One."));
    source.list(few(40).collect());
    let mut turns = Turns::default();
    assert_eq!(turns.next(&[&source]).await.offered.len(), 40);
    source.list(few(41).collect());
    turns.is_due = true;
    let many = turns.next(&[&source]).await;
    assert_eq!(names(&many), ["ToolSearch", "ToolCall"]);
    assert_eq!(many.deferred.len(), 41);
    assert!(text(&many).contains("- mcp__big__t40: One."));
    source.list(few(3).collect());
    turns.is_due = true;
    assert_eq!(turns.next(&[&source]).await.offered.len(), 3);
    turns.is_due = true;
    let small = turns.with_window(&[&source], 100).await;
    assert_eq!(names(&small), ["ToolSearch", "ToolCall"]);
}

#[tokio::test(start_paused = true)]
async fn a_refused_tool_is_searched_for_until_it_changes() {
    let source = FakeSource::new("mcp:one");
    source.list(vec![listed("bad", "B."), listed("good", "G.")]);
    let mut turns = Turns::default();
    turns.next(&[&source]).await;
    turns.refused = vec!["mcp__one__bad".to_owned()];
    let refusing = turns.next(&[&source]).await;
    assert_eq!(
        names(&refusing),
        ["mcp__one__good", "ToolSearch", "ToolCall"]
    );
    assert!(refusing.set.is_some());
    turns.is_due = true;
    assert_eq!(turns.next(&[&source]).await.offered.len(), 3, "still");
    source.list(vec![listed("bad", "Better."), listed("good", "G.")]);
    turns.is_due = true;
    let changed = turns.next(&[&source]).await;
    assert_eq!(names(&changed), ["mcp__one__bad", "mcp__one__good"]);
}

#[tokio::test(start_paused = true)]
async fn names_are_unique_over_all_sources() {
    let (one, other) = (FakeSource::new("mcp:a"), FakeSource::new("mcp:a__b"));
    one.list(vec![
        listed("b__c", "One."),
        listed("x.y", "X."),
        listed("x_y", "Y."),
    ]);
    other.list(vec![listed("c", "Other.")]);
    let mut turns = Turns::default();
    let turn = turns.next(&[&one, &other]).await;
    let mut names = names(&turn);
    names.dedup();
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(names.contains(&"mcp__a__b__c") && names.contains(&"mcp__a__x_y"));
}

#[tokio::test(start_paused = true)]
async fn a_large_set_is_read_fast_and_listed_within_bounds() {
    let source = FakeSource::new("mcp:big");
    let tool = |it| listed(&format!("tool_{it}"), &"words ".repeat(340));
    source.list((0..500).map(tool).collect());
    let mut turns = Turns::default();
    let first = turns.next(&[&source]).await;
    assert!(text(&first).len() < 2600, "{}", text(&first).len());
    assert!(text(&first).contains("500 tools"));
    turns.restart();
    let began = std::time::Instant::now();
    let again = turns.next(&[&source]).await;
    // 8 ms where it is optimised.
    assert!(
        began.elapsed() < Duration::from_millis(2000),
        "{:?}",
        began.elapsed()
    );
    assert!(again.message.is_none(), "it was told");
    let body = turns.known.unwrap();
    assert_eq!((body.tools, body.deferred), (500, 500));
    let told = turns.told.unwrap();
    assert_eq!(told, json!({"set": body.fingerprint, "added": []}));
}
