use scorel_client::{ClientError, Item, SessionStream};
use scorel_proto::{
    Cancel, CancelParams, EncodedEvent, EndReason, Event, OutcomeReason, PersistentBody,
    PersistentEvent, QueueItemId, QueueOp, RespondPermission, RespondPermissionParams,
    SendMessageResult, SessionId, SyncMarker, TurnId,
};

use super::answer::Answer;
use super::questions::Questions;
use crate::commands::sync_line::Reload;
use crate::control::{Control, Link};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::output::Output;

/// Which turn answers the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    /// One that is still to come: its first message names the queue item.
    Queued(QueueItemId),
    /// This one.
    Turn(TurnId),
}

impl From<SendMessageResult> for Own {
    fn from(answer: SendMessageResult) -> Self {
        match answer {
            SendMessageResult::Accepted { turn_id, .. } => Self::Turn(turn_id),
            SendMessageResult::Queued { queue_item_id, .. } => Self::Queued(queue_item_id),
        }
    }
}

/// Follows one turn from the acceptance of its message to its outcome.
pub(super) struct Follow<'a> {
    control: Control,
    session_id: SessionId,
    own: Own,
    /// Whether the user has asked for the end of the turn.
    cancelled: bool,
    reload: Reload,
    answer: Answer,
    questions: Questions,
    output: &'a mut Output,
}

/// What comes next.
enum Step {
    Item(Result<Option<Item>, ClientError>),
    Interrupt,
    /// Somebody typed a line; nothing at the end of input.
    Typed(Option<String>),
}

/// The session would go on to ask for the model that the endpoint does not have.
const NO_SUCH_MODEL: &str = "hint: the session keeps its model until `scorelctl send --model NAME` \
    names another; `scorelctl models` lists what there is";

impl<'a> Follow<'a> {
    pub(super) fn new(
        control: Control,
        (session_id, own): (SessionId, Own),
        questions: Questions,
        output: &'a mut Output,
    ) -> Self {
        Self {
            control,
            session_id,
            own,
            cancelled: false,
            reload: Reload::default(),
            answer: Answer::new(output),
            questions,
            output,
        }
    }

    /// Follows to the end. Every failure on the way is one of waiting: the message was accepted.
    pub(super) async fn run(
        &mut self,
        mut stream: SessionStream<Link>,
        interrupts: &mut Interrupts,
    ) -> Result<Exit, Failure> {
        loop {
            if !stream.is_ready() {
                self.output.flush()?;
            }
            let step = tokio::select! {
                biased;
                () = interrupts.next() => Step::Interrupt,
                item = stream.next() => Step::Item(item),
                line = self.questions.line() => Step::Typed(line),
            };
            let ended = match step {
                Step::Interrupt => self.interrupted(interrupts).await?,
                Step::Item(Ok(Some(Item::Event(encoded, event)))) => {
                    let ended = self.event(&encoded, &event)?;
                    self.question(&event).await?;
                    ended
                }
                Step::Item(Ok(Some(Item::Marker(marker)))) => {
                    let ended = self.marker(&marker, &mut stream)?;
                    self.open_questions(&marker).await?;
                    ended
                }
                Step::Typed(line) => {
                    let reply = self.questions.typed(line.as_deref(), self.output)?;
                    self.reply(reply).await?;
                    None
                }
                Step::Item(Ok(Some(Item::Reconnecting { attempt, .. }))) => {
                    if attempt == 1 {
                        self.note("the connection was lost; reconnecting")?;
                    }
                    None
                }
                Step::Item(Ok(None)) => return Err(self.lost("the session is gone")),
                Step::Item(Err(error)) => return Err(self.lost(&error.to_string())),
            };
            if let Some(exit) = ended {
                return Ok(exit);
            }
        }
    }

    /// Deals with a question of the turn, or with its answer.
    async fn question(&mut self, event: &Event) -> Result<(), Failure> {
        let Event::Persistent(record) = event else {
            return Ok(());
        };
        if !self.is_own(record.turn_id) {
            return Ok(());
        }
        match &record.body {
            PersistentBody::PermissionRequest(request) => {
                let reply = self.questions.asked(request, self.output)?;
                self.reply(reply).await
            }
            PersistentBody::PermissionDecision(decision) => {
                let (id, decision) = (decision.request_id, decision.decision);
                Ok(self.questions.decided(id, decision, self.output)?)
            }
            _ => Ok(()),
        }
    }

    /// Deals with what was asked while nobody was connected.
    async fn open_questions(&mut self, marker: &SyncMarker) -> Result<(), Failure> {
        let SyncMarker::InFlight { in_flight, .. } = marker else {
            return Ok(());
        };
        if !self.is_own(in_flight.turn_id) {
            return Ok(());
        }
        for request in &in_flight.permissions {
            let reply = self.questions.asked(request, self.output)?;
            self.reply(reply).await?;
        }
        Ok(())
    }

    async fn reply(&mut self, reply: Option<RespondPermissionParams>) -> Result<(), Failure> {
        let Some(params) = reply else { return Ok(()) };
        if let Err(error) = self.control.call::<RespondPermission>(&params).await {
            self.note(&format!("the answer was not taken: {error}"))?;
        }
        Ok(())
    }

    fn note(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.answer.note(text, self.output)?)
    }

    fn lost(&self, why: &str) -> Failure {
        let message = format!("the message was accepted, but its outcome is not known: {why}");
        let hint = format!("`scorelctl tail --session {}` shows it", self.session_id);
        Failure::new(Exit::WaitFailed, "wait_failed", message).hint(hint)
    }

    fn event(&mut self, encoded: &EncodedEvent, event: &Event) -> Result<Option<Exit>, Failure> {
        if self.output.json {
            self.output.raw_line(encoded.text())?;
        }
        let record = match event {
            Event::Persistent(record) => Some(record),
            Event::Transient(_) | Event::Unknown(_) => None,
        };
        if let (Own::Queued(item), Some(record)) = (self.own, record) {
            if took(record, item) {
                self.own = record.turn_id.map_or(self.own, Own::Turn);
            } else if removed(record, item) {
                self.note("the message was taken out of the queue")?;
                return Ok(Some(Exit::TurnCancelled));
            }
        }
        if !self.is_own(event.turn_id()) {
            return Ok(None);
        }
        self.answer.event(event, self.output)?;
        record.map_or(Ok(None), |record| self.outcome(record))
    }

    fn is_own(&self, turn: Option<TurnId>) -> bool {
        turn.is_some_and(|turn| self.own == Own::Turn(turn))
    }

    fn outcome(&mut self, record: &PersistentEvent) -> Result<Option<Exit>, Failure> {
        let PersistentBody::TurnOutcome(outcome) = &record.body else {
            return Ok(None);
        };
        let parts = record.body.handler().convert_to_display();
        self.answer.finish(&parts, self.output)?;
        let error = outcome.error.as_ref();
        if !self.output.json && error.is_some_and(|error| error.code == "not_found") {
            self.output.note(NO_SUCH_MODEL)?;
        }
        Ok(Some(match outcome.reason {
            OutcomeReason::Completed => Exit::Success,
            OutcomeReason::Cancelled => Exit::TurnCancelled,
            OutcomeReason::Error | OutcomeReason::Interrupted | OutcomeReason::Limit => {
                Exit::TurnFailed
            }
        }))
    }

    fn marker(
        &mut self,
        marker: &SyncMarker,
        stream: &mut SessionStream<Link>,
    ) -> Result<Option<Exit>, Failure> {
        if let Some(sync) = self.reload.marker(marker)
            && self.output.json
        {
            self.output.json(&sync)?;
        }
        match marker {
            SyncMarker::InFlight { in_flight, .. } if self.is_own(in_flight.turn_id) => {
                self.answer.in_flight(in_flight, self.output)?;
            }
            SyncMarker::End { reason, .. } => {
                if self.output.json {
                    self.output.json(marker)?;
                }
                match reason {
                    EndReason::Deleted => return Err(self.lost("the session was deleted")),
                    EndReason::Failed => return Err(self.lost("the session failed")),
                    // Whoever stops the daemon does not want it to be started again from here.
                    EndReason::ShuttingDown => stream.connector_mut().start = false,
                }
            }
            SyncMarker::InFlight { .. }
            | SyncMarker::SyncStart { .. }
            | SyncMarker::SyncEnd { .. } => {}
        }
        Ok(None)
    }

    /// The first time, the turn is cancelled and followed to its outcome; the second time, or if
    /// there is no turn to cancel yet, the program leaves and the turn goes its way.
    async fn interrupted(&mut self, interrupts: &mut Interrupts) -> Result<Option<Exit>, Failure> {
        let turn = match self.own {
            Own::Turn(turn) if !self.cancelled => turn,
            Own::Turn(_) => return self.detach("detached; the turn goes on to its end"),
            Own::Queued(_) => {
                return self.detach("detached; the message stays queued and will be answered");
            }
        };
        self.cancelled = true;
        self.note("cancelling; once more leaves without waiting")?;
        let params = CancelParams {
            session_id: self.session_id,
            expected_turn_id: Some(turn),
            clear_queue: None,
            command_id: None,
        };
        let answer = tokio::select! {
            answer = self.control.call::<Cancel>(&params) => answer,
            () = interrupts.next() => return self.detach("detached; the turn goes on"),
        };
        if let Err(error) = answer {
            self.note(&format!("the turn could not be cancelled: {error}"))?;
        }
        Ok(None)
    }

    fn detach(&mut self, text: &str) -> Result<Option<Exit>, Failure> {
        self.output.note(&format!(
            "{text}: `scorelctl tail --session {}` shows it",
            self.session_id
        ))?;
        Ok(Some(Exit::WaitFailed))
    }
}

/// Whether the queue item became this message.
fn took(record: &PersistentEvent, item: QueueItemId) -> bool {
    match &record.body {
        PersistentBody::Message(message) => message.queue_item_id == Some(item),
        _ => false,
    }
}

/// Whether somebody took the item out of the queue.
fn removed(record: &PersistentEvent, item: QueueItemId) -> bool {
    match &record.body {
        PersistentBody::QueueUpdate(update) => update
            .ops
            .iter()
            .any(|op| matches!(op, QueueOp::Remove { queue_item_id } if *queue_item_id == item)),
        _ => false,
    }
}
