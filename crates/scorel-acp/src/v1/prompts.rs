use scorel_peer::IdKey;
use scorel_proto::{
    CommandId, Message, PersistentBody, PersistentEvent, QueueItemId, QueueOp, StopReason, TurnId,
    TurnOutcomeBody,
};
use tokio::sync::oneshot;

use crate::failure::Failure;

/// The prompts of one session that wait for the end of their turns, without I/O. They are known in the log by their
/// commands, so it does not matter when the daemon's answers to these come.
#[derive(Debug, Default)]
pub(crate) struct Prompts {
    open: Vec<OpenPrompt>,
    /// The turn that is open in the session, of whichever client.
    turn: Option<TurnId>,
    /// The turn of another client that the editor wants cancelled.
    stray: Option<TurnId>,
}

#[derive(Debug)]
struct OpenPrompt {
    command_id: CommandId,
    request: IdKey,
    state: PromptState,
    /// The reason for which the model stopped last.
    stop: Option<StopReason>,
    cancel: CancelState,
    end: oneshot::Sender<PromptEnd>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PromptState {
    /// Not in the log yet.
    Sent,
    Queued(QueueItemId),
    Running(TurnId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CancelState {
    No,
    Wanted,
    /// The daemon has taken it.
    Signalled,
}

/// The end of a prompt.
#[derive(Debug)]
pub(crate) enum PromptEnd {
    Turn(Box<TurnOutcomeBody>, Option<StopReason>),
    /// It was removed from the queue.
    Removed,
    Lost(Failure),
}

/// A prompt that has ended, to be told after everything that it led to.
#[derive(Debug)]
pub(crate) struct Ending(oneshot::Sender<PromptEnd>, PromptEnd);

impl Ending {
    pub(crate) fn tell(self) {
        // Fails if the request is gone, which needs no handling.
        drop(self.0.send(self.1));
    }
}

/// The next cancel to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CancelStep {
    Item(QueueItemId),
    Turn(TurnId),
}

/// A record's meaning for the prompts.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// It is the message of a prompt, which the editor shows itself.
    pub(crate) is_prompt: bool,
    /// A prompt waits, and not behind another of the editor.
    pub(crate) waits: bool,
    pub(crate) endings: Vec<Ending>,
}

impl Prompts {
    /// Begins to wait for the turn of a command that will be sent.
    pub(crate) fn begin(
        &mut self,
        command_id: CommandId,
        request: IdKey,
    ) -> oneshot::Receiver<PromptEnd> {
        let (end, ended) = oneshot::channel();
        self.open.push(OpenPrompt {
            command_id,
            request,
            state: PromptState::Sent,
            stop: None,
            cancel: CancelState::No,
            end,
        });
        ended
    }

    /// Forgets a prompt that is not waited for.
    pub(crate) fn forget(&mut self, command_id: &CommandId) {
        self.open.retain(|prompt| prompt.command_id != *command_id);
    }

    pub(crate) fn is_cancelled(&self, command_id: &CommandId) -> bool {
        let is = |prompt: &&OpenPrompt| prompt.command_id == *command_id;
        let prompt = self.open.iter().find(is);
        prompt.is_some_and(|prompt| prompt.cancel != CancelState::No)
    }

    pub(crate) const fn has_any(&self) -> bool {
        !self.open.is_empty()
    }

    /// Returns whether the open turn is that of a prompt.
    pub(crate) fn runs(&self) -> bool {
        let is_running = |prompt: &OpenPrompt| matches!(prompt.state, PromptState::Running(_));
        self.open.iter().any(is_running)
    }

    /// Cancels all prompts; without one, the turn that the editor sees running.
    pub(crate) fn cancel(&mut self) {
        if self.open.is_empty() {
            self.stray = self.turn;
        }
        for prompt in &mut self.open {
            prompt.want_cancel();
        }
    }

    /// Cancels the prompt of a request; `false` if there is none.
    pub(crate) fn cancel_request(&mut self, request: &IdKey) -> bool {
        let prompt = self.open.iter_mut().find(|it| it.request == *request);
        prompt.map(OpenPrompt::want_cancel).is_some()
    }

    /// The next thing to cancel that is known in the log. What waits comes first, or it would start.
    pub(crate) fn cancel_step(&self) -> Option<CancelStep> {
        let wanted = self
            .open
            .iter()
            .filter(|prompt| prompt.cancel == CancelState::Wanted);
        let step = |prompt: &OpenPrompt| match prompt.state {
            PromptState::Sent => None,
            PromptState::Queued(item) => Some(CancelStep::Item(item)),
            PromptState::Running(turn) => Some(CancelStep::Turn(turn)),
        };
        let steps = wanted.filter_map(step);
        let stray = self.stray.map(CancelStep::Turn);
        steps
            .chain(stray)
            .min_by_key(|step| matches!(step, CancelStep::Turn(_)))
    }

    /// The daemon has taken this step.
    pub(crate) fn signalled(&mut self, step: CancelStep) {
        if self.stray.map(CancelStep::Turn) == Some(step) {
            self.stray = None;
        }
        for prompt in &mut self.open {
            let is = match (prompt.state, step) {
                (PromptState::Queued(item), CancelStep::Item(other)) => item == other,
                (PromptState::Running(turn), CancelStep::Turn(other)) => turn == other,
                _ => false,
            };
            if is && prompt.cancel == CancelState::Wanted {
                prompt.cancel = CancelState::Signalled;
            }
        }
    }

    /// Takes the turn of a snapshot.
    pub(crate) const fn open_turn(&mut self, turn: Option<TurnId>) {
        self.turn = turn;
    }

    /// Takes a record, each one once.
    pub(crate) fn observe(&mut self, event: &PersistentEvent) -> Observed {
        let mut observed = Observed::default();
        match &event.body {
            PersistentBody::Message(body) => {
                self.turn = event.turn_id.or(self.turn);
                let running = event.turn_id.map(PromptState::Running);
                for prompt in &mut self.open {
                    let item = body.queue_item_id.map(PromptState::Queued);
                    if event.command_id.as_ref() == Some(&prompt.command_id)
                        || item == Some(prompt.state)
                    {
                        observed.is_prompt = true;
                        prompt.moved(running.unwrap_or(prompt.state));
                    }
                    if let Message::Assistant(answer) = &body.message
                        && running == Some(prompt.state)
                    {
                        prompt.stop = Some(answer.stop_reason);
                    }
                }
            }
            PersistentBody::QueueUpdate(body) => {
                for op in &body.ops {
                    self.queue_changed(op, &mut observed);
                }
            }
            PersistentBody::TurnOutcome(body) => {
                self.turn = None;
                self.stray = None;
                let ended = event.turn_id.map(PromptState::Running);
                self.end(&mut observed, ended, |prompt| {
                    PromptEnd::Turn(Box::new(body.clone()), prompt.stop)
                });
            }
            _ => {}
        }
        observed
    }

    fn queue_changed(&mut self, op: &QueueOp, observed: &mut Observed) {
        match op {
            QueueOp::Add { item, .. } => {
                let is = |it: &&mut OpenPrompt| item.command_id.as_ref() == Some(&it.command_id);
                if let Some(prompt) = self.open.iter_mut().find(is) {
                    prompt.moved(PromptState::Queued(item.queue_item_id));
                    observed.waits = !self.runs();
                }
            }
            QueueOp::Remove { queue_item_id } => {
                let removed = PromptState::Queued(*queue_item_id);
                self.end(observed, Some(removed), |_| PromptEnd::Removed);
            }
            _ => {}
        }
    }

    fn end(
        &mut self,
        observed: &mut Observed,
        state: Option<PromptState>,
        end: impl Fn(&OpenPrompt) -> PromptEnd,
    ) {
        let ended = self
            .open
            .extract_if(.., |prompt| Some(prompt.state) == state);
        for prompt in ended {
            let how = end(&prompt);
            observed.endings.push(Ending(prompt.end, how));
        }
    }

    /// Ends all prompts, whose fate cannot be learned.
    pub(crate) fn lose(&mut self, failure: &Failure) {
        for prompt in self.open.drain(..) {
            Ending(prompt.end, PromptEnd::Lost(failure.clone())).tell();
        }
    }
}

impl OpenPrompt {
    fn want_cancel(&mut self) {
        if self.cancel == CancelState::No {
            self.cancel = CancelState::Wanted;
        }
    }

    /// The signal held for the state before.
    fn moved(&mut self, state: PromptState) {
        if self.state != state && self.cancel == CancelState::Signalled {
            self.cancel = CancelState::Wanted;
        }
        self.state = state;
    }
}
