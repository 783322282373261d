use scorel_client::{ClientError, SessionStream, StreamItem};
use scorel_proto::{
    Cancel, CancelParams, EncodedEvent, ErrorCode, Event, OutcomeReason, PermissionAnswer,
    PermissionConflict, PersistentBody, PersistentEvent, QueueItemId, QueueOp, RespondPermission,
    RespondPermissionParams, SendMessageResult, SessionId, SyncMarker, TurnError, TurnId,
};
use scorel_screen::{TimeZone, waits};
use serde_json::json;

use super::answer::AnswerView;
use super::pause_watch::PauseWatch;
use super::questions::Questions;
use crate::cli::Cli;
use crate::commands::interrupted::interrupted_hint;
use crate::commands::stall::StallWatch;
use crate::commands::stream_end::stream_end;
use crate::commands::sync_line::SyncLineBuilder;
use crate::daemon::DaemonConnector;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::id_part::end_of;
use crate::interrupts::Interrupts;
use crate::typed_answer::AnswerStep;

/// The turn that answers the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnTurn {
    /// Not started yet: the message made from this queue item will name it.
    Queued(QueueItemId),
    Turn(TurnId),
}

impl From<SendMessageResult> for OwnTurn {
    fn from(answer: SendMessageResult) -> Self {
        match answer {
            SendMessageResult::Accepted { turn_id, .. } => Self::Turn(turn_id),
            SendMessageResult::Queued { queue_item_id, .. } => Self::Queued(queue_item_id),
        }
    }
}

/// Follows the message's turn to its outcome: prints it, answers its permission requests, cancels
/// it on Ctrl-C.
pub(super) struct TurnFollower<'a> {
    cli: Cli<'a>,
    session_id: SessionId,
    own: OwnTurn,
    /// True if a first Ctrl-C has cancelled the turn.
    cancelled: bool,
    reload: SyncLineBuilder,
    answer: AnswerView,
    questions: Questions,
    stall: StallWatch,
    /// `None` for a message that was not queued.
    pause: Option<PauseWatch>,
    /// Said if the turn fails.
    keeps: String,
}

/// A message that was accepted.
pub(super) struct FollowedMessage {
    pub(super) session_id: SessionId,
    pub(super) own: OwnTurn,
    /// Set if it waits in a paused queue, which the user was told.
    pub(super) waits: bool,
    /// The model or runner that the session keeps; see [`kept_choice`](super::kept_choice::kept_choice).
    pub(super) keeps: String,
}

/// The next thing to handle.
enum FollowStep {
    Item(Result<Option<StreamItem>, ClientError>),
    Interrupt,
    /// The question on the screen goes on.
    Answer(std::io::Result<AnswerStep>),
    /// Nothing has arrived for a while.
    Quiet,
}

impl<'a> TurnFollower<'a> {
    pub(super) fn new(mut cli: Cli<'a>, message: FollowedMessage, questions: Questions) -> Self {
        // The stream decides whether a daemon is started.
        cli.daemon.never_start();
        let FollowedMessage {
            session_id,
            own,
            waits,
            keeps,
        } = message;
        let pause = match own {
            OwnTurn::Queued(item) => Some(PauseWatch::new(item, waits)),
            OwnTurn::Turn(_) => None,
        };
        Self {
            session_id,
            own,
            cancelled: false,
            reload: SyncLineBuilder::default(),
            answer: AnswerView::new(cli.output),
            questions,
            stall: StallWatch::new(),
            pause,
            keeps,
            cli,
        }
    }

    /// Runs until the outcome. A failure on the way is [`Exit::WaitFailed`]: the message was
    /// accepted.
    pub(super) async fn run(
        &mut self,
        stream: SessionStream<DaemonConnector>,
        interrupts: &mut Interrupts,
    ) -> Result<Exit, Failure> {
        let ended = self.follow(stream, interrupts).await;
        self.answer.flush(self.cli.output)?;
        ended
    }

    async fn follow(
        &mut self,
        mut stream: SessionStream<DaemonConnector>,
        interrupts: &mut Interrupts,
    ) -> Result<Exit, Failure> {
        loop {
            if !stream.is_ready() {
                self.cli.output.flush()?;
                self.say_if_paused().await?;
            }
            let step = tokio::select! {
                biased;
                () = interrupts.next() => FollowStep::Interrupt,
                item = stream.next() => FollowStep::Item(item),
                step = self.questions.next() => FollowStep::Answer(step),
                // A look would drop the attempt to reconnect, which then begins anew.
                () = self.stall.quiet(), if !stream.is_reconnecting() => FollowStep::Quiet,
            };
            if let FollowStep::Item(item) = &step {
                self.stall.heard();
                if let (Some(pause), Ok(Some(item))) = (&mut self.pause, item) {
                    pause.heard(item);
                }
            }
            let ended = match step {
                FollowStep::Interrupt => self.interrupted(interrupts).await?,
                FollowStep::Item(Ok(Some(StreamItem::Event(encoded, event)))) => {
                    let ended = self.event(&encoded, &event)?;
                    self.question(&event).await?;
                    ended
                }
                FollowStep::Item(Ok(Some(StreamItem::Marker(marker)))) => {
                    let ended = self.marker(&marker, &mut stream)?;
                    self.open_questions(&marker).await?;
                    ended
                }
                FollowStep::Answer(step) => {
                    let reply = self.questions.step(&step?, self.cli.output)?;
                    self.reply(reply).await?;
                    None
                }
                FollowStep::Item(Ok(Some(StreamItem::Reconnecting { attempt, .. }))) => {
                    if attempt == 1 {
                        self.note("the connection was lost; reconnecting")?;
                    }
                    None
                }
                FollowStep::Quiet => {
                    let look = self.stall.look(&mut self.cli.daemon, self.session_id);
                    let seen = tokio::select! {
                        biased;
                        () = interrupts.next() => None,
                        text = look => Some(text),
                    };
                    match seen {
                        None => self.interrupted(interrupts).await?,
                        Some(text) => {
                            text.map_or(Ok(()), |text| self.note(&text))?;
                            None
                        }
                    }
                }
                FollowStep::Item(Ok(None)) => return Err(self.lost("the session no longer exists")),
                FollowStep::Item(Err(error)) => return Err(self.lost(&error.to_string())),
            };
            if let Some(exit) = ended {
                return Ok(exit);
            }
            self.questions.keep_shown(self.cli.output)?;
        }
    }

    /// Says that the message waits in a paused queue. Also to pipes: nothing goes on by itself.
    async fn say_if_paused(&mut self) -> Result<(), Failure> {
        let Some(pause) = &mut self.pause else {
            return Ok(());
        };
        let text = pause.look(&mut self.cli.daemon, self.session_id).await;
        Ok(text.map_or(Ok(()), |text| self.cli.note(&text))?)
    }

    /// Handles the permission requests and decisions of the turn.
    async fn question(&mut self, event: &Event) -> Result<(), Failure> {
        let Event::Persistent(record) = event else {
            return Ok(());
        };
        if !self.is_own(record.turn_id) {
            return Ok(());
        }
        match &record.body {
            PersistentBody::PermissionRequest(request) => {
                self.answer.flush(self.cli.output)?;
                let reply = self.questions.asked(request, self.cli.output)?;
                self.reply(reply).await
            }
            PersistentBody::PermissionDecision(decision) => {
                let answer = PermissionAnswer {
                    decision: decision.clone(),
                    client_id: record.client_id,
                    decided_at: record.ts,
                };
                Ok(self.questions.decided(&answer, self.cli.output)?)
            }
            _ => Ok(()),
        }
    }

    /// Handles requests made while the connection was lost, which the snapshot contains.
    async fn open_questions(&mut self, marker: &SyncMarker) -> Result<(), Failure> {
        let SyncMarker::InFlight { in_flight, .. } = marker else {
            return Ok(());
        };
        if !self.is_own(in_flight.turn_id) {
            return Ok(());
        }
        for request in &in_flight.permissions {
            let reply = self.questions.asked(request, self.cli.output)?;
            self.reply(reply).await?;
        }
        Ok(())
    }

    async fn reply(&mut self, reply: Option<RespondPermissionParams>) -> Result<(), Failure> {
        let Some(params) = reply else { return Ok(()) };
        let answered = self.cli.daemon.call::<RespondPermission>(&params).await;
        let is_closed = answered.as_ref().err().is_none_or(is_conflict);
        if is_closed {
            self.questions.close(params.request_id);
        }
        let Err(error) = answered else { return Ok(()) };
        let text = match answered_before(&error) {
            Some(answer) => format!("already answered: {answer}"),
            None => format!("the answer was not accepted: {error}"),
        };
        if is_closed || self.questions.asks() {
            return self.note(&text);
        }
        let id = end_of(&params.request_id);
        self.note(&format!("{text}; `scorelctl approve {id}` gives it again"))
    }

    fn note(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.answer.note(text, self.cli.output)?)
    }

    fn lost(&self, why: &str) -> Failure {
        let message = format!("the message was accepted, but its outcome is unknown: {why}");
        let hint = format!("`scorelctl tail --session {}` shows it", self.session_id);
        Failure::new(Exit::WaitFailed, "wait_failed", message).hint(hint)
    }

    fn event(&mut self, encoded: &EncodedEvent, event: &Event) -> Result<Option<Exit>, Failure> {
        if self.cli.output.json {
            self.cli.output.raw_line(encoded.text())?;
        }
        let record = match event {
            Event::Persistent(record) => Some(record),
            Event::Transient(_) | Event::Unknown(_) => None,
        };
        if let (OwnTurn::Queued(item), Some(record)) = (self.own, record) {
            if took(record, item) {
                self.own = record.turn_id.map_or(self.own, OwnTurn::Turn);
                self.pause = None;
            } else if removed(record, item) {
                self.note("the message was removed from the queue")?;
                return Ok(Some(Exit::TurnCancelled));
            }
        }
        if !self.is_own(event.turn_id()) {
            return Ok(None);
        }
        // Questions show themselves.
        let is_question = record.is_some_and(|record| {
            matches!(
                record.body,
                PersistentBody::PermissionRequest(_) | PersistentBody::PermissionDecision(_)
            )
        });
        if !is_question {
            self.answer.event(event, self.cli.output)?;
        }
        record.map_or(Ok(None), |record| self.outcome(record))
    }

    fn is_own(&self, turn: Option<TurnId>) -> bool {
        turn.is_some_and(|turn| self.own == OwnTurn::Turn(turn))
    }

    fn outcome(&mut self, record: &PersistentEvent) -> Result<Option<Exit>, Failure> {
        let PersistentBody::TurnOutcome(outcome) = &record.body else {
            return Ok(None);
        };
        let parts = record.body.convert_to_display();
        self.answer.finish(&parts, self.cli.output)?;
        let error = outcome.error.as_ref();
        if error.is_some() && outcome.reason == OutcomeReason::Error && !self.keeps.is_empty() {
            self.cli.note(&self.keeps)?;
        }
        if let Some(end) = error.and_then(|error| error.resets_at) {
            self.cli.note(&waits::limit_end(end, &TimeZone::system()))?;
        }
        if outcome.reason == OutcomeReason::Interrupted {
            self.cli.note(&interrupted_hint(self.session_id))?;
        }
        match (outcome.reason, error) {
            (OutcomeReason::Completed, _) => Ok(Some(Exit::Success)),
            (OutcomeReason::Cancelled, _) => Ok(Some(Exit::TurnCancelled)),
            (_, Some(error)) if self.cli.output.json => Err(failed(error)),
            _ => Ok(Some(Exit::TurnFailed)),
        }
    }

    fn marker(
        &mut self,
        marker: &SyncMarker,
        stream: &mut SessionStream<DaemonConnector>,
    ) -> Result<Option<Exit>, Failure> {
        if let Some(sync) = self.reload.marker(marker)
            && self.cli.output.json
        {
            self.cli.output.json(&sync)?;
        }
        match marker {
            SyncMarker::InFlight { in_flight, .. } if self.is_own(in_flight.turn_id) => {
                self.answer.in_flight(in_flight, self.cli.output)?;
            }
            SyncMarker::End { reason, .. } => {
                if self.cli.output.json {
                    self.cli.output.json(marker)?;
                }
                stream_end(*reason, stream).map_err(|why| self.lost(why))?;
            }
            SyncMarker::InFlight { .. }
            | SyncMarker::SyncStart { .. }
            | SyncMarker::SyncEnd { .. } => {}
        }
        Ok(None)
    }

    /// The first Ctrl-C cancels the turn, and its outcome is still awaited. The second one
    /// detaches, and so does the first if the message is still queued.
    async fn interrupted(&mut self, interrupts: &mut Interrupts) -> Result<Option<Exit>, Failure> {
        let turn = match self.own {
            OwnTurn::Turn(turn) if !self.cancelled => turn,
            OwnTurn::Turn(_) => return self.detach("detached; the turn continues"),
            OwnTurn::Queued(_) => {
                return self.detach("detached; the message stays queued");
            }
        };
        self.cancelled = true;
        self.note("cancelling; press Ctrl-C again to leave without waiting")?;
        let params = CancelParams {
            children: None,
            session_id: self.session_id,
            expected_turn_id: Some(turn),
            clear_queue: None,
            command_id: None,
        };
        let answer = tokio::select! {
            answer = self.cli.daemon.call::<Cancel>(&params) => answer,
            () = interrupts.next() => return self.detach("detached; the turn continues"),
        };
        if let Err(error) = answer {
            self.note(&format!("the turn could not be cancelled: {error}"))?;
        }
        Ok(None)
    }

    fn detach(&mut self, text: &str) -> Result<Option<Exit>, Failure> {
        self.answer.flush(self.cli.output)?;
        self.cli.note(&format!(
            "{text}: `scorelctl tail --session {}` shows it",
            self.session_id
        ))?;
        Ok(Some(Exit::WaitFailed))
    }
}

/// Returns whether the request is not open any more.
fn is_conflict(error: &ClientError) -> bool {
    matches!(error, ClientError::Rpc(error) if error.code == ErrorCode::Conflict)
}

/// The decision that another client has made before.
fn answered_before(error: &ClientError) -> Option<PermissionAnswer> {
    let ClientError::Rpc(error) = error else {
        return None;
    };
    match serde_json::from_value(error.details.clone()) {
        Ok(PermissionConflict::Answered { answer }) => Some(answer),
        _ => None,
    }
}

/// The cause of the turn's failure, for programs. Users have read it.
fn failed(error: &TurnError) -> Failure {
    let failure = Failure::new(Exit::TurnFailed, "turn_failed", &error.message);
    let failure = failure.details(json!({ "error": error }));
    failure.maybe_hint(error.hint.as_ref())
}

/// Returns whether the record is the message made from the queue item.
fn took(record: &PersistentEvent, item: QueueItemId) -> bool {
    match &record.body {
        PersistentBody::Message(message) => message.queue_item_id == Some(item),
        _ => false,
    }
}

/// Returns whether the record removes the item from the queue.
fn removed(record: &PersistentEvent, item: QueueItemId) -> bool {
    match &record.body {
        PersistentBody::QueueUpdate(update) => update
            .ops
            .iter()
            .any(|op| matches!(op, QueueOp::Remove { queue_item_id } if *queue_item_id == item)),
        _ => false,
    }
}
