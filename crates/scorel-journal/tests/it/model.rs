//! Random histories, compared with a model in memory.

use std::collections::BTreeSet;
use std::sync::Arc;

use nix::errno::Errno;
use proptest::prelude::*;
use scorel_journal::{ContinueAt, Durability, FileStorage, Journal, ResumePoint};

use crate::disk::{Disk, Fault, Op};
use crate::log::{Log, append, create_on, open_on, text};

#[derive(Debug, Clone)]
enum Step {
    Append(String),
    Transients(u32),
    FailedAppend(usize),
    FailedSync,
    /// End the process; the last turn may be open.
    Restart {
        resume: bool,
    },
    /// End the process in the middle of a write.
    Tear(String),
    /// Damage the last line.
    Damage(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => "\\PC{0,40}".prop_map(Step::Append),
        3 => prop_oneof![1..50_u32, 60_000..70_000_u32].prop_map(Step::Transients),
        1 => (0..30_usize).prop_map(Step::FailedAppend),
        1 => Just(Step::FailedSync),
        2 => any::<bool>().prop_map(|resume| Step::Restart { resume }),
        1 => "\\PC{1,40}".prop_map(Step::Tear),
        1 => (0..400_usize).prop_map(Step::Damage),
    ]
}

struct Model {
    log: Log,
    disk: Disk,
    journal: Option<Journal>,
    point: Option<ResumePoint>,
    /// The records of the journal.
    records: Vec<(u64, String)>,
    /// All published sequence numbers.
    shown: BTreeSet<u64>,
    /// Whether no transient event was published after the last record.
    closed: bool,
}

impl Model {
    fn new() -> Self {
        let (log, disk) = (Log::nowhere(), Disk::volatile());
        let journal = create_on(disk.storage(), &log.dir()).expect("created");
        Self {
            log,
            disk,
            journal: Some(journal),
            point: None,
            records: Vec::new(),
            shown: BTreeSet::new(),
            closed: true,
        }
    }

    fn journal(&mut self) -> &mut Journal {
        self.journal.as_mut().expect("open between steps")
    }

    fn show(&mut self, seq: u64) {
        let highest = self.shown.last().copied().unwrap_or(0);
        assert!(seq > highest, "{seq} was shown after {highest}");
        self.shown.insert(seq);
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::Append(text) => self.append(text),
            Step::Transients(count) => self.transients(count),
            Step::FailedAppend(part) => {
                self.disk.fail(Op::Append, 0, Fault::Part(part, Errno::EIO));
                assert!(append(self.journal(), "lost").is_err());
            }
            Step::FailedSync => self.fail_sync(),
            Step::Restart { resume } => self.restart(resume),
            Step::Tear(stub) => {
                let bytes = [self.log.bytes(), stub.into_bytes()].concat();
                self.log.write(&bytes);
                self.restart(false);
            }
            Step::Damage(at) => self.damage(at),
        }
    }

    fn append(&mut self, text: String) {
        let seq = append(self.journal(), &text).expect("appended").seq().get();
        self.show(seq);
        self.records.push((seq, text));
        self.point = self.journal().resume_point();
        self.closed = true;
    }

    fn transients(&mut self, count: u32) {
        for _ in 0..count {
            match self.journal().next_transient() {
                Ok(seq) => {
                    self.show(seq.get());
                    self.closed = false;
                }
                Err(_) => self.append("reserve".to_owned()),
            }
        }
    }

    fn fail_sync(&mut self) {
        let storage = Arc::new(self.disk.clone());
        self.open_on(storage, None, Durability::Sync);
        self.disk.fail(Op::SyncData, 0, Fault::Error(Errno::EIO));
        assert!(append(self.journal(), "lost").is_err());
        self.journal().recover_by_copy().expect("copied");
    }

    fn restart(&mut self, resume: bool) {
        let point = self.point.filter(|_| resume);
        self.open_on(Arc::new(FileStorage), point, Durability::Flush);
        let storage = Arc::new(self.disk.clone());
        self.open_on(storage, None, Durability::Flush);
    }

    fn open_on(
        &mut self,
        storage: Arc<dyn scorel_journal::Storage>,
        point: Option<ResumePoint>,
        durability: Durability,
    ) {
        self.journal = None;
        let (opened, found) = open_on(storage, &self.log.dir(), point).expect("opened");
        let found: Vec<_> = found.iter().map(|r| (r.place.seq.get(), text(r))).collect();
        assert!(self.records.ends_with(&found));
        assert!(point.is_some() || found.len() == self.records.len());
        let at = if self.closed {
            ContinueAt::LastRecord
        } else {
            ContinueAt::Reserve
        };
        self.journal = Some(opened.into_journal(at, durability));
    }

    /// Flips a bit of the last line, if it is that of the last record.
    fn damage(&mut self, at: usize) {
        let mut lines = self.log.lines();
        let last = lines.last_mut().expect("a header");
        let intact = self.records.last().is_some_and(|(seq, _)| {
            String::from_utf8_lossy(last).contains(&format!("\"seq\":{seq},"))
        });
        if !intact {
            return;
        }
        let at = at % last.len();
        last[at] ^= 2;
        self.log.write(&lines.concat());
        self.records.pop();
        self.point = None;
        self.restart(false);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_history_loses_a_record_or_uses_a_number_twice(steps in prop::collection::vec(step(), 1..40)) {
        let mut model = Model::new();
        for step in steps {
            model.apply(step);
        }
        model.restart(false);
    }
}
