//! Bytes of the log that are not as they were written.

use scorel_proto::ClientId;

use super::History;
use crate::Command;

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
            let intact: Vec<usize> = (0..self.reference.shown.len())
                .filter(|at| {
                    self.reference.shown[*at].is_record() && !self.reference.shown[*at].lost
                })
                .collect();
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

    /// Somebody accepts up to `count` damaged places.
    pub(super) async fn accept_damage(&mut self, count: usize) {
        let lane = self.lane().await;
        let places = lane.lock().await.damage.clone();
        for place in places.into_iter().take(count) {
            let command = Command::new(ClientId::Daemon, None, "acceptDamage", &());
            let accepted = lane
                .accept_damage(command, place.offset, place.length)
                .await;
            accepted.expect("accepted");
            let state = lane.lock().await;
            self.reference.damaged = !state.damage.is_empty();
            let end = usize::try_from(state.journal.end()).expect("small");
            drop(state);
            let lines = self.new_lines(end);
            self.log_end = end;
            self.publish(&lines);
        }
    }
}
