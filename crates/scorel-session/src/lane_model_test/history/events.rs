//! What the model, the tools and time do.

use std::time::Duration;

use scorel_engine::ProviderEvent;
use scorel_proto::{
    PermissionDecision, PermissionDecisionBody, Phase, RecordedFiles, StopReason, Usage,
};

use super::commands::Command;
use super::{FOREVER, History};
use crate::lane_model_test::observed::text;
use crate::lane_model_test::reference::{Due, Label};

/// Longer than a retry is put off.
const LIMIT: Duration = Duration::from_secs(600);

impl History {
    /// The job goes one step further, if there is one.
    pub(super) async fn go_on(&mut self) {
        match self.reference.due() {
            Due::Nothing => {}
            Due::Answer => self.model_goes_on().await,
            Due::Tools(running) => self.end_tool(&running),
            Due::Permission => self.decide().await,
            Due::Moment => self.reference.wait_ended(),
            Due::Summary => self.summarise().await,
        }
    }

    async fn model_goes_on(&mut self) {
        match self.dice.below(10) {
            0..3 => {
                let label = self.label();
                self.text(0, label);
                self.reference.show(label);
            }
            3..6 => self.answer(0),
            6..9 => {
                let calls = 1 + self.dice.below(3);
                self.answer(calls);
            }
            _ => self.fail_call(),
        }
    }

    fn text(&self, block: usize, label: Label) {
        let delta = text(label);
        let call = self.call.as_ref().expect("a call");
        call.event(ProviderEvent::Text { block, delta });
    }

    fn answer(&mut self, calls: usize) {
        let last = self.label();
        self.text(0, last);
        let calls: Vec<(Label, bool)> = (0..calls)
            .map(|_| (self.label(), self.dice.one_in(2)))
            .collect();
        let call = self.call.take().expect("a call");
        for (block, (key, writes)) in (1..).zip(&calls) {
            call.event(ProviderEvent::ToolCallStart {
                block,
                id: key.to_string(),
                name: if *writes { "write" } else { "look" }.to_owned(),
                provider: None,
            });
            let delta = "{}".to_owned();
            call.event(ProviderEvent::ToolCallDelta { block, delta });
        }
        call.event(done(if calls.is_empty() {
            StopReason::EndTurn
        } else {
            StopReason::ToolUse
        }));
        self.reference.answer(last, &calls);
    }

    fn fail_call(&mut self) {
        let call = self.call.take().expect("a call");
        let seen = self.reference.shown() > 0;
        match self.dice.below(3) {
            0 => {
                call.fail(None, false);
                self.reference.call_failed();
            }
            at => {
                call.fail((at == 1).then_some(LIMIT), true);
                if seen {
                    // Clients would see the text twice.
                    self.reference.call_failed();
                } else if at == 1 {
                    self.reference.call_suspended();
                } else {
                    self.reference.call_retried();
                }
            }
        }
    }

    fn end_tool(&mut self, running: &[Label]) {
        let key = self.dice.pick(running);
        let at = self.runs.iter().position(|run| run.id == key.to_string());
        let run = self.runs.swap_remove(at.expect("it runs"));
        let is_cancelled = self.reference.phase() == Phase::Cancelling;
        assert_eq!(run.context.cancel.is_cancelled(), is_cancelled);
        let said = self.label();
        let mut recorded = RecordedFiles::default();
        if let Some(project) = &self.project
            && self.reference.writes(key)
        {
            let name = self.dice.pick(&["a", "b"]);
            recorded = project.write(name, said);
            self.reference.file_written(name, said);
        }
        run.end(text(said), recorded);
        self.reference.tool_ended(key, said);
    }

    async fn decide(&mut self) {
        let decision = self.dice.pick(&[
            PermissionDecision::Once,
            PermissionDecision::Session,
            PermissionDecision::Deny,
        ]);
        let open = self.lane().view(|view| view.state.permissions[0].clone());
        let decision = PermissionDecisionBody {
            request_id: open.request_id,
            decision,
            reason: None,
            by: None,
        };
        let kind = decision.decision;
        let command = self.named("respondPermission");
        self.carry_out(Command::Respond(command, decision)).await;
        self.reference
            .permission(kind.allows(), kind == PermissionDecision::Session);
    }

    /// The model writes the summary, or it does not.
    async fn summarise(&mut self) {
        let label = self.label();
        let call = self.call.take().expect("a call");
        if self.dice.one_in(4) {
            call.fail(None, false);
            self.reference.compaction_ended(None);
            return;
        }
        let short = || ProviderEvent::Text {
            block: 0,
            delta: format!("#{label};"),
        };
        call.event(short());
        call.event(done(StopReason::EndTurn));
        // A summary that is not smaller than what it replaces is asked for once more.
        let lane = self.lane();
        let mut head = lane.watch_head();
        while lane.view(|view| view.state.compaction.is_some()) {
            tokio::select! {
                biased;
                changed = tokio::time::timeout(FOREVER, head.changed()) => {
                    changed.expect("the compaction ends").expect("a feed");
                }
                Some(again) = self.end.calls.recv() => {
                    again.event(short());
                    again.event(done(StopReason::EndTurn));
                    self.calls += 1;
                    self.reference.calls += 1;
                }
            }
        }
        drop(lane.lock().await);
        self.observed.read(&self.log());
        let newest = self.observed.nodes.get(self.reference.nodes.len());
        let through = newest.and_then(|node| node.through);
        let summary = through.map(|id| (label, self.observed.place_of(id)));
        self.reference.compaction_ended(summary);
    }
}

fn done(stop_reason: StopReason) -> ProviderEvent {
    ProviderEvent::Done {
        stop_reason,
        usage: Some(Usage {
            input_tokens: 10,
            output_tokens: 5,
            ..Usage::default()
        }),
        charged: None,
        provider: None,
    }
}
