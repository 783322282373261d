use std::collections::VecDeque;

use crate::{
    BegunCall, PendingCall, Permission, Permit, Prerequisite, ToolCall, ToolOutcome, ToolPlan,
};

/// A call with the gate's decision.
pub(super) struct Judged {
    pub(super) call: ToolCall,
    /// The hooks that changed its arguments.
    pub(super) changed_by: Vec<String>,
    pub(super) fate: CallDecision,
}

/// The judgement on a call: it is to run within its permit, or the outcome is its result.
pub(super) type CallDecision = Result<(ToolPlan, Permit), ToolOutcome>;

/// A call whose fate is sealed: it has begun within its permit, or the outcome is its result.
pub(super) type BeginResult = Result<(BegunCall, Permit), ToolOutcome>;

/// Begins a call, if it is to run.
pub(super) async fn seal(fate: CallDecision) -> BeginResult {
    let (plan, permit) = fate?;
    Ok((plan.begin(permit.clone()).await, permit))
}

/// The calls of a group on their way through the gate, one after the other.
#[derive(Default)]
pub(super) struct Judging {
    open: VecDeque<PendingCall>,
    /// The plan of the first open call, with the permit that a yes gives it.
    asked: Option<(ToolPlan, Permit)>,
    judged: Vec<Judged>,
}

impl Judging {
    pub(super) fn new(calls: Vec<PendingCall>) -> Self {
        Self {
            open: calls.into(),
            ..Self::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.judged.is_empty()
    }

    /// The call to be judged next.
    pub(super) fn due(&self) -> Option<&PendingCall> {
        self.open.front()
    }

    /// Replaces the call that is due by what hooks have made of it.
    pub(super) fn hooked(&mut self, call: PendingCall) {
        if let Some(due) = self.open.front_mut() {
            *due = call;
        }
    }

    /// Decides the call that is due.
    pub(super) fn decide(&mut self, fate: CallDecision) {
        if let Some(PendingCall { call, marks }) = self.open.pop_front() {
            let changed_by = marks.unwrap_or_default().changed_by;
            self.judged.push(Judged {
                call,
                changed_by,
                fate,
            });
        }
    }

    /// Keeps the plan of the call that is due until its question is answered.
    pub(super) fn ask(&mut self, plan: ToolPlan, permit: Permit) {
        self.asked = Some((plan, permit));
    }

    /// Decides the call that was asked about.
    pub(super) fn answer(&mut self, permission: Permission) {
        if let Some((plan, permit)) = self.asked.take() {
            self.decide(match permission {
                Permission::Granted => Ok((plan, permit)),
                Permission::Refused(text) => Err(ToolOutcome::error(text)),
            });
        }
    }

    /// The judged calls, if there are any and none is left to be judged.
    pub(super) fn take_judged(&mut self) -> Option<Vec<Judged>> {
        let done = self.open.is_empty() && !self.judged.is_empty();
        done.then(|| std::mem::take(&mut self.judged))
    }

    /// Takes the conditions that the judged calls wait for, once none is left to be judged.
    pub(super) fn take_prerequisite(&mut self) -> Option<Prerequisite> {
        let judged = self.judged.iter_mut().filter(|_| self.open.is_empty());
        let mut plans = judged.filter_map(|judged| judged.fate.as_mut().ok());
        plans.find_map(|(plan, _)| plan.take_prerequisite())
    }

    /// Takes all calls back, judged or not: nothing of this group runs.
    pub(super) fn take_back(&mut self) -> Vec<ToolCall> {
        let judged = self.judged.drain(..).map(|judged| judged.call);
        let open = self.open.drain(..).map(|open| open.call);
        judged.chain(open).collect()
    }
}
