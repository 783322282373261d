//! Bytes of the log that are not as they were written.

use std::sync::Arc;

use scorel_proto::{Anchors, ClientId, Phase, ResyncParams, Seq, SyncMarker};

use super::History;
use crate::model_test::reference::seq_of;
use crate::model_test::transcript::Item;
use crate::{DamageAcceptance, Lane, MutationCommand};

impl History {
    /// Damages a few places of the log, each within a line, while no daemon runs.
    pub(super) fn damage(&mut self) {
        let mut log = self.home.log(self.id);
        // What a crash left behind the published part stays as it is, and so does a log whose
        // damage is not accepted yet.
        if log.len() != self.log_end || self.reference.damaged {
            return;
        }
        for _ in 0..=self.dice.below(3) {
            let intact = self.intact();
            if intact.is_empty() {
                break;
            }
            let at = intact[self.dice.below(intact.len())];
            self.damage_record(at, &mut log);
        }
        let path = self.home.session_dir(self.id).join(scorel_journal::EVENTS);
        self.pristine = false;
        self.log_end = self.log_end.min(log.len());
        self.home.tamper(&path, log);
    }

    /// Where the intact records are in the list, without those that accept damage: it would have to
    /// be accepted again.
    fn intact(&self) -> Vec<usize> {
        let shown = self.reference.shown.iter().enumerate();
        shown
            .filter(|(_, shown)| shown.is_record() && !shown.lost)
            .filter(|(_, shown)| shown.event.type_name() != "damage_accepted")
            .map(|(at, _)| at)
            .collect()
    }

    fn damage_record(&mut self, at: usize, log: &mut Vec<u8>) {
        let mut later = self.reference.shown[at + 1..].iter();
        let next_len = later.find_map(|shown| shown.place).map(|(_, len)| len);
        let record = &mut self.reference.shown[at];
        let (offset, len) = record.place.expect("a record");
        if offset + len > log.len() {
            return;
        }
        if offset < self.checkpointed {
            self.home
                .forget(&self.home.session_dir(self.id).join("checkpoint"));
        }
        // No more than two records come to stand on one line, and none on a torn one.
        let own_line = log[offset - 1] == b'\n';
        let next = log[offset + len..]
            .split_inclusive(|byte| *byte == b'\n')
            .next();
        let next_whole = next.is_some_and(|next| next_len == Some(next.len()));
        let is_last = offset + len >= self.log_end;
        match self.dice.below(4) {
            0 if own_line && offset + len == log.len() => {
                log.truncate(offset + 1 + self.dice.below(len - 1));
                self.log_end = offset;
                record.lost = true;
                return;
            }
            1 if !is_last && own_line && next_whole && log[offset + len - 1] == b'\n' => {
                log[offset + len - 1] ^= 1;
            }
            2 => {
                let from = self.dice.below(len - 1);
                let count = 1 + self.dice.below(len - 1 - from);
                log[offset + from..offset + from + count].fill(0);
                record.lost = true;
            }
            _ => {
                let from = offset + self.dice.below(len - 1);
                let flipped = log[from] ^ (1 << self.dice.below(8));
                log[from] = if flipped == b'\n' { 0 } else { flipped };
                record.lost = true;
            }
        }
        self.reference.damaged = true;
    }

    /// Damages one record while the session is in memory and between two turns, and reads the log:
    /// the records around it are served, and the session is what loading would make of it.
    pub(super) async fn damage_alive(&mut self) {
        let idle = self.reference.view.state.turn.is_none();
        if !idle || self.reference.damaged || self.home.is_off() {
            return;
        }
        let lane = self.lane().await;
        // Events in the ring are served from memory.
        lane.shrink_ring();
        self.reference.shrink();
        let mut intact = self.intact();
        intact.retain(|at| {
            let shown = &self.reference.shown[*at];
            !self.reference.is_in_ring(shown.seq)
        });
        if intact.is_empty() {
            return;
        }
        let twists = self.twists.as_mut().expect("this is one");
        let record = &mut self.reference.shown[intact[twists.below(intact.len())]];
        let (offset, len) = record.place.expect("a record");
        let mut log = self.home.log(self.id);
        // A bit that breaks the line in two as well.
        log[offset + twists.below(len - 1)] ^= 1 << twists.below(8);
        record.lost = true;
        let way = twists.below(3);
        self.home.tamper(
            &self.home.session_dir(self.id).join(scorel_journal::EVENTS),
            log,
        );
        self.pristine = false;
        self.found_alive = true;
        self.reference.folded_again();
        let served = match way {
            0 => self.read_events(&lane).await,
            1 => self.read_subscribed().await,
            _ => self.read_pages().await,
        };
        let expected = self.reference.records().map(|record| record.seq);
        assert!(expected.eq(served), "what stands around the damage");
        let places = lane.lock().await.section().damage();
        let [place] = &places[..] else {
            panic!("one flipped bit is one place to accept: {places:?}");
        };
        // Places beside it that were accepted together earlier are one hole with it.
        let end = place.offset + place.length;
        assert!(place.offset <= offset as u64 && end >= (offset + len - 1) as u64);
    }

    async fn read_events(&self, lane: &Arc<Lane>) -> Vec<Seq> {
        let read = lane.events(None, None, usize::MAX).await.expect("readable");
        read.events
            .iter()
            .map(|event| seq_of(event.text().as_bytes()))
            .collect()
    }

    async fn read_subscribed(&self) -> Vec<Seq> {
        let subscriber = self.sessions.subscribe(self.id, Anchors::default()).await;
        let mut subscriber = subscriber.expect("a session");
        let mut served = Vec::new();
        loop {
            let batch = subscriber.next_batch().await.expect("readable");
            for json in batch.expect("more follows") {
                match Item::read(&json, &self.reference) {
                    Item::Event(seq) => served.push(seq),
                    Item::Merged(event) => panic!("{event:?} in a reload"),
                    Item::Marker(marker) => match *marker {
                        SyncMarker::InFlight { in_flight, .. } => {
                            assert_eq!(in_flight.phase, Phase::Failed);
                        }
                        SyncMarker::SyncEnd { .. } => return served,
                        _ => {}
                    },
                }
            }
        }
    }

    async fn read_pages(&self) -> Vec<Seq> {
        let mut served = Vec::new();
        let mut page = None;
        loop {
            let params = ResyncParams {
                session_id: self.id,
                persistent_last_seq: None,
                stream_last_seq: None,
                persistent_last_id: None,
                page,
            };
            let answer = self.sessions.resync(params).await.expect("a page");
            served.extend(
                answer
                    .events
                    .iter()
                    .map(|event| seq_of(event.text().as_bytes())),
            );
            if let Some(in_flight) = answer.in_flight {
                assert_eq!(in_flight.phase, Phase::Failed);
            }
            page = answer.next_page;
            if page.is_none() {
                return served;
            }
        }
    }

    /// Accepts up to `count` damaged places.
    pub(super) async fn accept_damage(&mut self, count: usize) {
        let lane = self.lane().await;
        let places = lane.lock().await.section().damage();
        for place in places.into_iter().take(count) {
            let command = MutationCommand::new(ClientId::Daemon, None, "acceptDamage", &());
            let accepted = lane
                .mutate(DamageAcceptance {
                    command,
                    offset: place.offset,
                    length: place.length,
                })
                .await;
            accepted.expect("accepted");
            let mut locked = lane.lock().await;
            let section = locked.section();
            self.reference.damaged = !section.damage().is_empty();
            let end = section.log_end();
            drop(locked);
            let lines = self.new_lines(end);
            self.log_end = end;
            self.publish(&lines);
        }
    }
}
