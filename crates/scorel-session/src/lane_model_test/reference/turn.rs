//! What a turn does, and what ends it.

use std::collections::VecDeque;

use scorel_proto::{OutcomeReason, QueueKind};

use super::{At, Call, CallState, Job, Kind, Label, Reference, Turn};

impl Reference {
    pub(super) fn start(&mut self, label: Label) {
        self.turns += 1;
        self.job = Some(Job::Turn(Turn {
            stopped: false,
            resumed: false,
            at: At::Waiting,
        }));
        self.say(Kind::User, vec![label]);
        self.call();
    }

    /// The model is asked, with the steers that wait; a turn that has to stop ends instead.
    fn call(&mut self) {
        if self.stopped() {
            return self.end(OutcomeReason::Cancelled);
        }
        while let Some(at) = self.steer() {
            let item = self.take(at);
            self.say(Kind::Steer, vec![item.label]);
        }
        self.running_mut().at = At::Calling(Vec::new());
        self.calls += 1;
    }

    fn steer(&self) -> Option<usize> {
        let is_steer = |item: &super::Item| item.kind == QueueKind::Steer;
        self.queue.iter().position(is_steer)
    }

    fn end(&mut self, reason: OutcomeReason) {
        if let Some(leaf) = self.leaf {
            self.nodes[leaf].ends_turn = true;
        }
        self.outcomes.push(reason);
        self.job = None;
        self.queue_after(reason == OutcomeReason::Completed);
        self.start_next();
    }

    /// The model shows a piece of its answer.
    pub(crate) fn show(&mut self, label: Label) {
        match &mut self.running_mut().at {
            At::Calling(shown) => shown.push(label),
            other => panic!("no call, but {other:?}"),
        }
    }

    /// The answer ends with these calls: their keys, and whether they write.
    pub(crate) fn answer(&mut self, last: Label, calls: &[(Label, bool)]) {
        self.show(last);
        self.keep_shown();
        if calls.is_empty() {
            return match self.steer() {
                Some(_) => self.call(),
                None => self.end(OutcomeReason::Completed),
            };
        }
        let due = |(key, writes): &(Label, bool)| Call {
            key: *key,
            writes: *writes,
            state: CallState::Due,
        };
        self.running_mut().at = At::Tools(calls.iter().map(due).collect());
        self.next_group();
    }

    /// The shown part of an answer stays.
    fn keep_shown(&mut self) {
        if let At::Calling(shown) = &mut self.running_mut().at {
            let shown = std::mem::take(shown);
            if !shown.is_empty() {
                self.say(Kind::Answer, shown);
            }
        }
    }

    fn open_calls(&mut self) -> &mut VecDeque<Call> {
        match &mut self.running_mut().at {
            At::Tools(calls) => calls,
            other => panic!("no tools, but {other:?}"),
        }
    }

    /// Adjacent calls that only read run together, a call that writes alone.
    fn next_group(&mut self) {
        if self.stopped() {
            self.refuse_open_calls();
        }
        let must_ask = self.asks && !self.allowed;
        let calls = self.open_calls();
        match calls.front_mut() {
            None => self.call(),
            Some(call) if call.writes && must_ask => call.state = CallState::Asked,
            Some(call) if call.writes => call.state = CallState::Running,
            Some(_) => {
                for call in calls.iter_mut().take_while(|call| !call.writes) {
                    call.state = CallState::Running;
                }
            }
        }
    }

    fn refuse_open_calls(&mut self) {
        let open = self.open_calls().drain(..).count();
        for _ in 0..open {
            self.say(Kind::Result, Vec::new());
        }
    }

    /// A running tool has ended. Results come in the order of the calls.
    pub(crate) fn tool_ended(&mut self, key: Label, said: Label) {
        let calls = self.open_calls();
        let ended = calls.iter_mut().find(|call| call.key == key);
        ended.expect("an open call").state = CallState::Ended(said);
        while let Some(Call {
            state: CallState::Ended(said),
            ..
        }) = self.open_calls().front()
        {
            let said = *said;
            self.open_calls().pop_front();
            self.say(Kind::Result, vec![said]);
        }
        let is_open = |call: &Call| call.state == CallState::Running;
        if !self.open_calls().iter().any(is_open) {
            self.next_group();
        }
    }

    pub(crate) fn permission(&mut self, allows: bool, lasting: bool) {
        self.allowed |= allows && lasting;
        if allows {
            self.open_calls()[0].state = CallState::Running;
        } else {
            self.open_calls().pop_front();
            self.say(Kind::Result, Vec::new());
            self.next_group();
        }
    }

    /// The call of the model fails for good.
    pub(crate) fn call_failed(&mut self) {
        self.keep_shown();
        self.end(OutcomeReason::Error);
    }

    pub(crate) fn call_retried(&mut self) {
        self.call();
    }

    pub(crate) fn call_suspended(&mut self) {
        self.running_mut().at = At::Waiting;
    }

    pub(crate) fn wait_ended(&mut self) {
        self.call();
    }

    /// Returns whether a job took the signal.
    pub(crate) fn cancel(&mut self, expected: Option<usize>) -> bool {
        let taken = self.signal(expected);
        if taken {
            self.stop_now();
        }
        taken
    }

    pub(super) fn signal(&mut self, expected: Option<usize>) -> bool {
        if self.job.is_none() || expected.is_some_and(|turn| self.turn() != Some(turn)) {
            return false;
        }
        if let Some(Job::Turn(turn)) = &mut self.job {
            turn.stopped = true;
        }
        true
    }

    /// What a signal ends at once: everything but tools that run.
    pub(super) fn stop_now(&mut self) {
        match &self.job {
            Some(Job::Compaction) => {
                self.job = None;
                self.queue_after(false);
                self.start_next();
            }
            Some(Job::Turn(turn)) => match &turn.at {
                At::Waiting => self.end(OutcomeReason::Cancelled),
                At::Calling(_) => {
                    self.keep_shown();
                    self.end(OutcomeReason::Cancelled);
                }
                At::Tools(calls) if calls[0].state == CallState::Asked => {
                    self.refuse_open_calls();
                    self.end(OutcomeReason::Cancelled);
                }
                At::Tools(_) => {}
            },
            None => {}
        }
    }

    /// The daemon dies, and another one loads the session.
    pub(crate) fn crash(&mut self) {
        let resumes = self.resumes;
        self.daemon_ends(resumes);
    }

    /// The daemon stops in order: no tool runs then.
    pub(crate) fn stop(&mut self) {
        self.daemon_ends(false);
    }

    fn daemon_ends(&mut self, resumes: bool) {
        match &mut self.job {
            None => {}
            Some(Job::Compaction) => {
                self.job = None;
                self.start_next();
            }
            Some(Job::Turn(turn)) => {
                turn.stopped = false;
                let is_asked = |calls: &VecDeque<Call>| calls[0].state == CallState::Asked;
                match &turn.at {
                    At::Waiting => return,
                    At::Tools(calls) if is_asked(calls) => return,
                    At::Tools(_) => self.refuse_open_calls(),
                    At::Calling(_) => self.keep_shown(),
                }
                self.interrupted(resumes);
            }
        }
    }

    fn interrupted(&mut self, resumes: bool) {
        let turn = self.running_mut();
        if resumes && !turn.resumed {
            turn.resumed = true;
            self.say(Kind::Note, Vec::new());
            self.call();
        } else {
            self.end(OutcomeReason::Interrupted);
        }
    }

    pub(crate) fn compaction_began(&mut self) {
        self.job = Some(Job::Compaction);
        self.calls += 1;
    }

    /// `summary`: what it says, and the last node that it stands for; `None` if it failed.
    pub(crate) fn compaction_ended(&mut self, summary: Option<(Label, usize)>) {
        self.job = None;
        if let Some((label, through)) = summary {
            self.check_cut(through);
            self.say(Kind::Summary(through), vec![label]);
        }
        self.start_next();
    }
}
