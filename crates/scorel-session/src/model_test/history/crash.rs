//! The daemon dies, and another one finds what is left.

use std::path::Path;

use scorel_proto::{
    Block, Event, EventId, Message, OpenBlock, OutcomeReason, PersistentBody, PersistentEvent,
    SessionView, TurnId,
};

use super::{History, lines, sessions};
use crate::model_test::disk::Trouble;

/// The shown part of a message that was being generated.
struct ShownMessage {
    id: EventId,
    content: Vec<Block>,
    /// True if all of it must come back.
    whole: bool,
}

impl History {
    pub(super) async fn crash(&mut self) {
        if self.dice.one_in(2) {
            self.home.expect(Trouble::PowerOff(self.dice.below(5)));
            self.write_some().await;
        }
        self.die().await;
        if self.dice.one_in(3) {
            self.spoil_derived();
        }
        if self.dice.one_in(4) {
            self.damage();
        }
        // Also while loading, once more.
        if self.dice.one_in(4) {
            self.home.expect(Trouble::PowerOff(self.dice.below(10)));
        }
        self.load().await;
    }

    /// Everything that the daemon had in memory is gone.
    async fn die(&mut self) {
        if let Some(lane) = self.lane.take() {
            // A section whose caller stopped waiting ends first.
            drop(lane.lock().await);
        }
        for watcher in &mut self.watchers {
            watcher.lose_daemon();
        }
        let power_lost = self.dice.one_in(2);
        self.spooled &= self.home.crash(power_lost, &mut self.dice);
        // These daemons die in recoveries more often than a session is tried.
        self.home
            .forget(&self.home.session_dir(self.id).join("recovering"));
        self.sessions = sessions(&self.home, self.reference.max_bytes());
        // Nothing begins by itself.
        self.sessions.drain(std::time::Duration::ZERO).await;
    }

    /// Derived files and crash-only files may be damaged, torn or gone.
    fn spoil_derived(&mut self) {
        let dir = self.home.session_dir(self.id);
        let (checkpoint, spool) = (dir.join("checkpoint"), dir.join("inflight"));
        if self.dice.one_in(2) {
            self.spooled = false;
            self.cut_or_forget(&spool);
        } else if self.dice.one_in(2) {
            self.cut_or_forget(&checkpoint);
        } else if let Some(mut bytes) = self.home.read(&checkpoint)
            && !bytes.is_empty()
        {
            let at = self.dice.below(bytes.len());
            bytes[at] ^= 1 << self.dice.below(8);
            self.home.tamper(&checkpoint, bytes);
        }
    }

    fn cut_or_forget(&mut self, path: &Path) {
        let Some(mut bytes) = self.home.read(path) else {
            return;
        };
        if self.dice.one_in(2) {
            return self.home.forget(path);
        }
        bytes.truncate(self.dice.below(bytes.len()));
        self.home.tamper(path, bytes);
    }

    /// Loads the session and compares it with what its log must make of it.
    pub(super) async fn load(&mut self) {
        while !self.try_to_load().await {
            self.die().await;
        }
    }

    /// Says whether the power stayed on.
    async fn try_to_load(&mut self) -> bool {
        let before = self.home.log(self.id);
        let left = lines(&before[self.log_end..], self.log_end, before.len());
        let message = self.shown_message();
        let found = self.found(&left);
        let sure = self.is_end_sure(&before, &left);
        let loaded = self.sessions.get(self.id).await;
        if self.home.is_off() {
            self.lane = loaded.ok();
            return false;
        }
        self.home.expect(Trouble::None);
        let lane = loaded.expect("loaded");
        let after = self.home.log(self.id);
        assert_eq!(
            after[..self.log_end],
            before[..self.log_end],
            "loading changes no line"
        );
        let mut written = lines(&after[self.log_end..], self.log_end, after.len());
        assert_eq!(written[..left.len()], left);
        let written = written.split_off(left.len());
        self.found_alive = false;
        self.reference.loaded(&left, &written, sure, lane.head());
        self.log_end = after.len();
        self.lane = Some(lane);
        self.check_recovery(&found, &written, message);
        self.spooled = true;
        true
    }

    /// What the records fold into that are there before loading.
    fn found(&self, left: &[(usize, Vec<u8>)]) -> SessionView {
        let mut view = SessionView::default();
        self.reference
            .records()
            .for_each(|record| view.apply(&record.event));
        left.iter()
            .for_each(|(_, line)| view.apply(&Event::Persistent(Box::new(decode(line)))));
        view
    }

    /// Returns whether the end of the log is certain: no hole can hide the beginning of a turn, no damaged
    /// line follows the last intact one, and no torn line does or did.
    fn is_end_sure(&self, log: &[u8], left: &[(usize, Vec<u8>)]) -> bool {
        let last = self
            .reference
            .records()
            .last()
            .and_then(|record| record.place);
        let last = left
            .last()
            .map(|(offset, line)| (*offset, line.len()))
            .or(last);
        let end = last.map_or(0, |(offset, len)| offset + len);
        let header = log
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let torn = self.home.names(self.id).into_iter().filter_map(|name| {
            let offset = name.strip_prefix("events.jsonl.torn-")?;
            offset.split('.').next()?.parse::<usize>().ok()
        });
        !self.reference.damaged
            && log.len() == end.max(header)
            && torn.max().is_none_or(|offset| offset + 1 < end)
    }

    /// What a client was shown of the message that is being generated.
    fn shown_message(&self) -> Option<ShownMessage> {
        let message = self.reference.view.open.messages.first()?;
        let content = message.blocks.iter().filter_map(|block| match block {
            OpenBlock::Text { text } => Some(Block::text(text)),
            OpenBlock::Thinking { text } => Some(Block::Thinking {
                text: text.clone(),
                signature: None,
                redacted: false,
                provider: None,
            }),
            OpenBlock::ToolUse { .. } => None,
        });
        Some(ShownMessage {
            id: message.event_id,
            content: content.collect(),
            whole: self.spooled,
        })
    }

    /// An open turn has the shown part of its message, a result for each call, and one outcome;
    /// unless it was in the middle of nothing but a question: then it stays open.
    fn check_recovery(
        &self,
        found: &SessionView,
        written: &[(usize, Vec<u8>)],
        message: Option<ShownMessage>,
    ) {
        let events: Vec<PersistentEvent> = written.iter().map(|(_, line)| decode(line)).collect();
        let Some(turn) = found
            .state
            .turn
            .as_ref()
            .filter(|_| !self.reference.damaged && !found.state.is_asking())
        else {
            return assert!(events.is_empty(), "{events:?}");
        };
        assert!(
            events
                .iter()
                .all(|event| event.turn_id == Some(turn.turn_id)),
            "{events:?}"
        );
        let (outcome, events) = events.split_last().expect("an outcome");
        let PersistentBody::TurnOutcome(outcome) = &outcome.body else {
            panic!("{outcome:?} is no outcome");
        };
        assert_eq!(outcome.reason, OutcomeReason::Interrupted);
        let partial = events
            .first()
            .and_then(|event| content(event).map(|content| (event.id, content)));
        check_partial(
            partial,
            message.filter(|message| !found.tree.contains(message.id)),
            turn.turn_id,
        );
        let known = events.iter().find(|event| found.tree.contains(event.id));
        assert!(known.is_none(), "{known:?} was in the log before");
        let results = events.iter().filter_map(result);
        assert!(results.eq(turn.calls.iter().map(|call| call.tool_call_id.as_str())));
    }
}

fn check_partial(partial: Option<(EventId, &[Block])>, shown: Option<ShownMessage>, turn: TurnId) {
    let has_text = |content: &[Block]| {
        content
            .iter()
            .any(|block| matches!(block, Block::Text { text, .. } if !text.trim().is_empty()))
    };
    match (partial, shown) {
        (Some((id, content)), Some(shown)) => {
            assert_eq!(id, shown.id);
            assert!(has_text(content));
            let same = if shown.whole {
                content == shown.content
            } else {
                said(&shown.content).starts_with(&said(content))
            };
            assert!(
                same,
                "{content:?} is not what was shown: {:?}",
                shown.content
            );
        }
        (None, Some(shown)) if shown.whole => {
            assert!(
                !has_text(&shown.content),
                "{:?} of {turn} is gone",
                shown.content
            );
        }
        _ => {}
    }
}

fn said(content: &[Block]) -> String {
    let text = content.iter().map(|block| match block {
        Block::Text { text, .. } | Block::Thinking { text, .. } => text.as_str(),
        _ => "",
    });
    text.collect()
}

fn content(event: &PersistentEvent) -> Option<&[Block]> {
    match &event.body {
        PersistentBody::Message(body) => match &body.message {
            Message::Assistant(message) if message.partial => Some(&message.content),
            _ => None,
        },
        _ => None,
    }
}

fn result(event: &PersistentEvent) -> Option<&str> {
    match &event.body {
        PersistentBody::Message(body) => match &body.message {
            Message::ToolResult(message) => Some(&message.result().tool_use_id),
            _ => None,
        },
        _ => None,
    }
}

fn decode(line: &[u8]) -> PersistentEvent {
    let text = std::str::from_utf8(line)
        .expect("text")
        .trim_end_matches('\n');
    match Event::decode(text) {
        Ok(Event::Persistent(event)) => *event,
        other => panic!("{text} is no record: {other:?}"),
    }
}
