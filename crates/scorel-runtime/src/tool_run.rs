mod judged;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use scorel_proto::{ToolResultBlock, ToolResultMessage};
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::judged::{Judged, Judging};
use crate::Clock;
use crate::stop::Stop;
use crate::{
    Permission, Question, RawRuntimeEvent, ToolCall, ToolOutcome, Toolbox, TurnLimits, TurnPorts,
    Verdict,
};

/// The tool calls of one answer: run in groups, answered in call order.
///
/// Adjacent read-only calls form a group and run side by side; any other call is a group of its
/// own. Each call of a group is judged first; then those that may run are announced, and launched
/// with the next step, so that what was announced is durable before anything runs.
pub(crate) struct ToolRun {
    groups: VecDeque<Vec<ToolCall>>,
    /// Calls beyond the limit; they are answered at the end and never run.
    excess: Vec<ToolCall>,
    /// The group that comes next.
    judging: Judging,
    group: Group,
    due: VecDeque<RawRuntimeEvent>,
}

/// What the calls want or have done.
pub(crate) enum ToolStep {
    Event(RawRuntimeEvent),
    /// Somebody must say whether the call may run: answer with [`ToolRun::answer`].
    Ask(ToolCall, Question),
}

/// The group that is announced or running.
#[derive(Default)]
struct Group {
    slots: Vec<Slot>,
    launched: bool,
    /// How many results are out.
    released: usize,
    outcomes: FuturesUnordered<BoxFuture<'static, (usize, ToolOutcome)>>,
    updates: FuturesUnordered<BoxFuture<'static, Option<Update>>>,
    /// Fires when running tools should end.
    interrupt: CancellationToken,
}

/// One call of the group.
struct Slot {
    call: ToolCall,
    /// Why it does not run.
    refusal: Option<String>,
    started_at: Duration,
    ended: bool,
    result: Option<ToolResultMessage>,
}

/// A tool's latest output, and where its next comes from.
struct Update {
    slot: usize,
    partial: Value,
    receiver: watch::Receiver<Option<Value>>,
}

impl ToolRun {
    /// Plans the calls.
    pub(crate) fn new(mut calls: Vec<ToolCall>, tools: &dyn Toolbox, limits: &TurnLimits) -> Self {
        let excess = calls.split_off(limits.max_calls_per_answer.min(calls.len()));
        let groups = group(calls, tools, limits.max_parallel_tools);
        Self {
            groups,
            excess,
            judging: Judging::default(),
            group: Group::default(),
            due: VecDeque::new(),
        }
    }

    /// Calls that are answered without being run, with `text` as their result.
    pub(crate) fn refused(calls: Vec<ToolCall>, text: &str) -> Self {
        let due = calls.into_iter().map(|call| refusal(&call, text)).collect();
        Self {
            groups: VecDeque::new(),
            excess: Vec::new(),
            judging: Judging::default(),
            group: Group::default(),
            due,
        }
    }

    /// The next thing that happened; nothing when every call has its result.
    pub(crate) async fn next(&mut self, ports: &TurnPorts, stop: &Stop) -> Option<ToolStep> {
        loop {
            if let Some(event) = self.due.pop_front() {
                return Some(ToolStep::Event(event));
            }
            if !self.group.is_done() {
                if self.group.launched {
                    self.group.advance(&ports.clock, stop, &mut self.due).await;
                } else {
                    self.group.launch(ports, stop, &mut self.due);
                }
            } else if let Some(call) = self.judging.due() {
                let call = call.clone();
                if let Some(question) = self.judge(&call, ports, stop).await {
                    return Some(ToolStep::Ask(call, question));
                }
            } else if let Some(calls) = self.judging.take_judged() {
                self.group = Group::announce(calls, &mut self.due);
            } else {
                self.begin_group(stop)?;
            }
        }
    }

    /// Says whether the call that was asked for may run.
    pub(crate) fn answer(&mut self, permission: Permission) {
        self.judging.say(permission);
    }

    /// Has a call judged, or gives the question that somebody must answer.
    async fn judge(&mut self, call: &ToolCall, ports: &TurnPorts, stop: &Stop) -> Option<Question> {
        let verdict = tokio::select! {
            biased;
            cause = stop.wait() => {
                let left = self.judging.take_back();
                self.due.extend(left.iter().map(|call| refusal(call, cause.call_result())));
                return None;
            }
            verdict = ports.gate.judge(call) => verdict,
        };
        match verdict {
            Verdict::Allow => self.answer(Permission::Granted),
            Verdict::Refuse(text) => self.answer(Permission::Refused(text)),
            Verdict::Ask(question) => return Some(question),
        }
        None
    }

    /// Begins with the next group, or refuses what is left. Nothing if nothing is left.
    fn begin_group(&mut self, stop: &Stop) -> Option<()> {
        if let Some(cause) = stop.now() {
            self.excess.splice(0..0, self.groups.drain(..).flatten());
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

impl Group {
    fn announce(calls: Vec<Judged>, due: &mut VecDeque<RawRuntimeEvent>) -> Self {
        let announce = |judged: &Judged| RawRuntimeEvent::ToolExecutionStart {
            call: judged.call.clone(),
        };
        let run = calls.iter().filter(|judged| judged.refusal.is_none());
        due.extend(run.map(announce));
        let slot = |judged: Judged| Slot {
            call: judged.call,
            refusal: judged.refusal,
            started_at: Duration::ZERO,
            ended: false,
            result: None,
        };
        Self {
            slots: calls.into_iter().map(slot).collect(),
            ..Self::default()
        }
    }

    fn is_done(&self) -> bool {
        self.released == self.slots.len()
    }

    fn launch(&mut self, ports: &TurnPorts, stop: &Stop, due: &mut VecDeque<RawRuntimeEvent>) {
        self.launched = true;
        let cause = stop.now();
        for index in 0..self.slots.len() {
            let slot = &mut self.slots[index];
            slot.started_at = ports.clock.now();
            if let Some(text) = slot.refusal.take() {
                self.answer(index, ToolOutcome::error(text), Duration::ZERO, due);
                continue;
            }
            if let Some(cause) = cause {
                let outcome = ToolOutcome::error(cause.call_result());
                self.finish(index, outcome, &ports.clock, due);
                continue;
            }
            let (updates, receiver) = watch::channel(None);
            let run = ports
                .tools
                .call(slot.call.clone(), updates, self.interrupt.clone());
            self.outcomes
                .push(Box::pin(async move { (index, run.await) }));
            self.updates.push(Box::pin(next_update(index, receiver)));
        }
    }

    async fn advance(
        &mut self,
        clock: &Arc<dyn Clock>,
        stop: &Stop,
        due: &mut VecDeque<RawRuntimeEvent>,
    ) {
        tokio::select! {
            biased;
            Some((index, outcome)) = self.outcomes.next() => self.finish(index, outcome, clock, due),
            Some(update) = self.updates.next(), if !self.updates.is_empty() => {
                // What a tool showed last may come up only after its end.
                if let Some(update) = update.filter(|update| !self.slots[update.slot].ended) {
                    due.push_back(RawRuntimeEvent::ToolExecutionUpdate {
                        call_id: self.slots[update.slot].call.id.clone(),
                        partial: update.partial,
                    });
                    self.updates.push(Box::pin(next_update(update.slot, update.receiver)));
                }
            }
            _ = stop.wait(), if !self.interrupt.is_cancelled() => self.interrupt.cancel(),
        }
    }

    /// Notes how a call that ran has ended.
    fn finish(
        &mut self,
        index: usize,
        outcome: ToolOutcome,
        clock: &Arc<dyn Clock>,
        due: &mut VecDeque<RawRuntimeEvent>,
    ) {
        let slot = &mut self.slots[index];
        let duration = clock.now().saturating_sub(slot.started_at);
        due.push_back(RawRuntimeEvent::ToolExecutionEnd {
            call_id: slot.call.id.clone(),
            name: slot.call.name.clone(),
            duration,
            is_error: outcome.is_error,
        });
        self.answer(index, outcome, duration, due);
    }

    /// Takes the result of a call and lets out those whose turn it is.
    fn answer(
        &mut self,
        index: usize,
        outcome: ToolOutcome,
        duration: Duration,
        due: &mut VecDeque<RawRuntimeEvent>,
    ) {
        let slot = &mut self.slots[index];
        slot.ended = true;
        slot.result = Some(result_message(&slot.call, outcome, duration));
        while let Some(slot) = self.slots.get_mut(self.released) {
            let Some(message) = slot.result.take() else {
                break;
            };
            due.push_back(RawRuntimeEvent::ToolResult { message });
            self.released += 1;
        }
    }
}

/// Splits calls into groups that run one after the other.
fn group(
    calls: Vec<ToolCall>,
    tools: &dyn Toolbox,
    max_parallel: usize,
) -> VecDeque<Vec<ToolCall>> {
    let read_only = |call: &ToolCall| {
        tools
            .specs()
            .iter()
            .any(|spec| spec.read_only && spec.name == call.name)
    };
    let mut groups: VecDeque<Vec<ToolCall>> = VecDeque::new();
    for call in calls {
        match groups.back_mut() {
            Some(group)
                if group.len() < max_parallel
                    && group.iter().all(read_only)
                    && read_only(&call)
                    // What is decided about one call must never count for another.
                    && group.iter().all(|other| other.id != call.id) =>
            {
                group.push(call);
            }
            _ => groups.push_back(vec![call]),
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

fn refusal(call: &ToolCall, text: &str) -> RawRuntimeEvent {
    let message = result_message(call, ToolOutcome::error(text), Duration::ZERO);
    RawRuntimeEvent::ToolResult { message }
}

fn result_message(call: &ToolCall, outcome: ToolOutcome, duration: Duration) -> ToolResultMessage {
    let result = ToolResultBlock {
        tool_use_id: call.id.clone(),
        content: outcome.content,
        is_error: outcome.is_error,
        details: outcome.details,
    };
    let duration = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    ToolResultMessage::new(&call.name, result, duration)
}
