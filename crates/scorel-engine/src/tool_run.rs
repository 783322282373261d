mod judged;
mod look;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::judged::{BeginResult, Judged, Judging, seal};
use self::look::look;
use crate::stop::Stop;
use crate::tool_calls::{tool_ended, tool_result};
use crate::{
    Clock, EngineEvent, PendingCall, Permission, Prerequisite, Question, ToolCall, ToolContext,
    ToolList, ToolOutcome, TurnLimits, TurnPorts, Verdict,
};

/// Runs the tool calls of one answer, in groups; results come in call order.
///
/// Adjacent read-only calls form a group and run in parallel; any other call is a group of its own. The
/// calls of a group are planned and judged one after the other, when the group before has ended. Those
/// that may run are announced first and launched with the next step: `tool_started` must be durable
/// before the tool has any effect, or a crash in between could run the call twice.
#[derive(Default)]
pub(crate) struct ToolRun {
    groups: VecDeque<Vec<PendingCall>>,
    /// Calls beyond the limit; answered at the end and never run.
    excess: Vec<ToolCall>,
    /// The next group.
    judging: Judging,
    group: CallGroup,
    due: VecDeque<EngineEvent>,
    /// Why a hook ends the turn, if one does. The calls that were not judged before do not run.
    ends_turn: Option<String>,
}

pub(crate) enum ToolStep {
    Event(EngineEvent),
    /// A question, to be answered with [`ToolRun::answer`].
    Ask(PendingCall, Question),
    /// The calls of the next group have to wait before they begin.
    Wait(Prerequisite),
    /// The turn is to park: every started call has its result, and no other call is started.
    Parked,
}

/// The group that is announced or running.
#[derive(Default)]
struct CallGroup {
    slots: Vec<CallSlot>,
    /// The outcomes of beginning the calls; empty once the group is launched.
    sealed: Vec<BeginResult>,
    /// How many results were returned, in call order.
    released: usize,
    outcomes: FuturesUnordered<BoxFuture<'static, Ended>>,
    updates: FuturesUnordered<BoxFuture<'static, Option<Update>>>,
    /// Cancels the running tools.
    interrupt: CancellationToken,
}

/// One call of the group.
struct CallSlot {
    call: ToolCall,
    started_at: Duration,
    ended: bool,
    result: Option<EngineEvent>,
}

/// A call that has run.
struct Ended {
    slot: usize,
    outcome: ToolOutcome,
    /// Why a hook ends the turn, if one does.
    ends_turn: Option<String>,
}

/// A tool's latest output, with the receiver of the next.
struct Update {
    slot: usize,
    partial: Value,
    receiver: watch::Receiver<Option<Value>>,
}

impl ToolRun {
    /// Splits the calls into groups; runs nothing yet.
    pub(crate) fn new(mut calls: Vec<PendingCall>, tools: &ToolList, limits: &TurnLimits) -> Self {
        let excess = calls.split_off(limits.max_calls_per_answer.min(calls.len()));
        let excess = excess.into_iter().map(|pending| pending.call).collect();
        let groups = group(calls, tools, limits.max_parallel_tools);
        Self {
            groups,
            excess,
            ..Self::default()
        }
    }

    /// Answers all calls with the error `text` without running them.
    pub(crate) fn refused(calls: &[PendingCall], text: &str) -> Self {
        let due = calls.iter().map(|it| refusal(&it.call, text)).collect();
        Self {
            due,
            ..Self::default()
        }
    }

    /// The next event or question; `None` when every call has its result.
    pub(crate) async fn next(&mut self, ports: &TurnPorts, stop: &Stop) -> Option<ToolStep> {
        loop {
            if let Some(event) = self.due.pop_front() {
                return Some(ToolStep::Event(event));
            }
            if !self.group.is_done() {
                if self.group.sealed.is_empty() {
                    let ended = self.group.advance(&ports.clock, stop, &mut self.due).await;
                    self.ends_turn = self.ends_turn.take().or(ended);
                } else {
                    self.group.launch(ports, stop, &mut self.due);
                }
            } else if stop.parks() && self.has_left() {
                return Some(ToolStep::Parked);
            } else if let Some(due) = self.judging.due() {
                if let Some(asked) = self.judge(due.clone(), ports, stop).await {
                    return Some(asked);
                }
            } else if let Some(prerequisite) = self.judging.take_prerequisite() {
                return Some(ToolStep::Wait(prerequisite));
            } else if let Some(calls) = self.judging.take_judged() {
                self.group = CallGroup::announce(calls, &mut self.due).await;
            } else {
                self.begin_group(stop)?;
            }
        }
    }

    /// Answers the open question.
    pub(crate) fn answer(&mut self, permission: Permission) {
        self.judging.answer(permission);
    }

    /// The reason why a hook ends the turn, if one does.
    pub(crate) fn ends_turn(&self) -> Option<&str> {
        self.ends_turn.as_deref()
    }

    /// Shows a call to the hooks, plans it and has it judged, or returns the question to be answered.
    async fn judge(
        &mut self,
        pending: PendingCall,
        ports: &TurnPorts,
        stop: &Stop,
    ) -> Option<ToolStep> {
        if let Some(reason) = &self.ends_turn {
            let text = format!("not run: {reason}");
            self.judging.decide(Err(ToolOutcome::error(text)));
            return None;
        }
        let looked = tokio::select! {
            biased;
            cause = stop.wait() => {
                let left = self.judging.take_back();
                self.due.extend(left.iter().map(|call| refusal(call, cause.call_result())));
                return None;
            }
            looked = look(pending, ports) => looked,
        };
        self.ends_turn = looked.ends_turn;
        let (pending, mut plan, verdict) = match looked.fate {
            Ok(judged) => judged,
            Err(stopped) => {
                self.judging.decide(Err(stopped));
                return None;
            }
        };
        self.judging.hooked(pending);
        match verdict {
            Verdict::Allow(permit) => self.judging.decide(Ok((plan, permit))),
            Verdict::Refuse(text) => self.judging.decide(Err(ToolOutcome::error(text))),
            Verdict::Ask { question, permit } => {
                plan.prepare(&permit);
                self.judging.ask(plan, permit);
                return Some(ToolStep::Ask(self.judging.due()?.clone(), question));
            }
        }
        None
    }

    /// Returns whether calls are left that may run.
    fn has_left(&self) -> bool {
        !self.judging.is_empty() || !self.groups.is_empty()
    }

    /// Starts the next group, or refuses the remaining calls. `None` if none remain.
    fn begin_group(&mut self, stop: &Stop) -> Option<()> {
        if let Some(cause) = stop.now() {
            let left = self.groups.drain(..).flatten();
            self.excess.splice(0..0, left.map(|pending| pending.call));
            self.refuse_excess(cause.call_result())
        } else if let Some(calls) = self.groups.pop_front() {
            self.judging = Judging::new(calls);
            Some(())
        } else {
            self.refuse_excess("not run: the answer had too many calls")
        }
    }

    fn refuse_excess(&mut self, text: &str) -> Option<()> {
        if self.excess.is_empty() {
            return None;
        }
        self.due
            .extend(self.excess.drain(..).map(|call| refusal(&call, text)));
        Some(())
    }
}

impl CallGroup {
    async fn announce(calls: Vec<Judged>, due: &mut VecDeque<EngineEvent>) -> Self {
        let mut group = Self::default();
        for judged in calls {
            let sealed = seal(judged.fate).await;
            if let Ok((begun, _)) = &sealed {
                due.push_back(EngineEvent::ToolExecutionStart {
                    call: judged.call.clone(),
                    files: begun.files().to_vec(),
                    changed_by: judged.changed_by,
                });
            }
            group.sealed.push(sealed);
            group.slots.push(CallSlot {
                call: judged.call,
                started_at: Duration::ZERO,
                ended: false,
                result: None,
            });
        }
        group
    }

    fn is_done(&self) -> bool {
        self.released == self.slots.len()
    }

    fn launch(&mut self, ports: &TurnPorts, stop: &Stop, due: &mut VecDeque<EngineEvent>) {
        let cause = stop.now();
        for (index, sealed) in std::mem::take(&mut self.sealed).into_iter().enumerate() {
            let slot = &mut self.slots[index];
            slot.started_at = ports.clock.now();
            let (begun, permit) = match sealed {
                Ok(begun) => begun,
                Err(outcome) => {
                    self.answer(index, outcome, Duration::ZERO, due);
                    continue;
                }
            };
            if let Some(cause) = cause {
                let outcome = ToolOutcome::error(cause.call_result());
                self.finish(index, outcome, &ports.clock, due);
                continue;
            }
            let (updates, receiver) = watch::channel(None);
            let cancel = self.interrupt.clone();
            let run = begun.run(ToolContext {
                updates,
                cancel: cancel.clone(),
            });
            let (hooks, call) = (ports.hooks.clone(), ports.tools.canonical(&slot.call));
            self.outcomes.push(Box::pin(async move {
                let outcome = run.await;
                let (outcome, ends_turn) = hooks.after(&call, &permit, outcome, &cancel).await;
                Ended {
                    slot: index,
                    outcome,
                    ends_turn,
                }
            }));
            self.updates.push(Box::pin(next_update(index, receiver)));
        }
    }

    /// Waits for the next thing to happen. Returns why a hook ends the turn, if one does.
    async fn advance(
        &mut self,
        clock: &Arc<dyn Clock>,
        stop: &Stop,
        due: &mut VecDeque<EngineEvent>,
    ) -> Option<String> {
        tokio::select! {
            biased;
            Some(ended) = self.outcomes.next() => {
                self.finish(ended.slot, ended.outcome, clock, due);
                return ended.ends_turn;
            }
            Some(update) = self.updates.next(), if !self.updates.is_empty() => {
                // An update may be received after the tool's end, and would follow its result.
                if let Some(update) = update.filter(|update| !self.slots[update.slot].ended) {
                    due.push_back(EngineEvent::ToolExecutionUpdate {
                        call_id: self.slots[update.slot].call.id.clone(),
                        partial: update.partial,
                    });
                    self.updates.push(Box::pin(next_update(update.slot, update.receiver)));
                }
            }
            _ = stop.wait(), if !self.interrupt.is_cancelled() => self.interrupt.cancel(),
        }
        None
    }

    /// Records the outcome of a call that ran.
    fn finish(
        &mut self,
        index: usize,
        outcome: ToolOutcome,
        clock: &Arc<dyn Clock>,
        due: &mut VecDeque<EngineEvent>,
    ) {
        let slot = &mut self.slots[index];
        let duration = clock.now().saturating_sub(slot.started_at);
        due.push_back(tool_ended(&slot.call, outcome.is_error, duration));
        self.answer(index, outcome, duration, due);
    }

    /// Stores a result and returns all results that are next in call order.
    fn answer(
        &mut self,
        index: usize,
        outcome: ToolOutcome,
        duration: Duration,
        due: &mut VecDeque<EngineEvent>,
    ) {
        let slot = &mut self.slots[index];
        slot.ended = true;
        slot.result = Some(tool_result(&slot.call, outcome, duration));
        while let Some(slot) = self.slots.get_mut(self.released)
            && let Some(result) = slot.result.take()
        {
            due.push_back(result);
            self.released += 1;
        }
    }
}

/// Splits calls into groups that run one after the other.
fn group(
    calls: Vec<PendingCall>,
    tools: &ToolList,
    max_parallel: usize,
) -> VecDeque<Vec<PendingCall>> {
    let read_only = |pending: &PendingCall| {
        let tool = tools.get(&pending.call.name);
        tool.is_some_and(|tool| tool.spec().read_only)
    };
    let mut groups: VecDeque<Vec<PendingCall>> = VecDeque::new();
    for pending in calls {
        match groups.back_mut() {
            Some(group)
                if group.len() < max_parallel
                    && group.iter().all(read_only)
                    && read_only(&pending)
                    // Models repeat ids. The records of a call (`tool_started`, the question, the
                    // result) name it by its id, so two open calls of one id would be one to the
                    // fold and to clients. One after the other they are told apart by order.
                    && group.iter().all(|other| other.call.id != pending.call.id) =>
            {
                group.push(pending);
            }
            _ => groups.push_back(vec![pending]),
        }
    }
    groups
}

async fn next_update(slot: usize, mut receiver: watch::Receiver<Option<Value>>) -> Option<Update> {
    loop {
        receiver.changed().await.ok()?;
        let latest = receiver.borrow_and_update().clone();
        if let Some(partial) = latest {
            return Some(Update {
                slot,
                partial,
                receiver,
            });
        }
    }
}

fn refusal(call: &ToolCall, text: &str) -> EngineEvent {
    tool_result(call, ToolOutcome::error(text), Duration::ZERO)
}
