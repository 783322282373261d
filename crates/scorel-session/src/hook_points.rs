//! Hooks at the points of a turn: they are shown what is new, and what they answer is recorded before the model
//! reads it.
//!
//! In: a point that a turn, or a compaction, has come to. Out: records, and what becomes of the turn. A hook
//! that is cut off by a cancel leaves nothing. After a crash the point comes again: what was recorded
//! stays, and the hooks are told that it is their second attempt.

mod edits;
mod new_messages;

use std::collections::HashSet;
use std::sync::Arc;

use scorel_engine::{
    BackgroundTask, HookChain, Hooks, Moment, MomentAnswer, MomentVerdict, Occasion, SessionSource,
    StopSignal,
};
use scorel_proto::{
    AgentTask, AgentTaskId, CompactionTrigger, ContextEditBody, ContextOp, ContextWindow,
    CustomMessageBody, EventId, HookPoint, PersistentBody, Role, Seq, SessionView, TurnError,
    TurnId,
};

use self::edits::checked;
use self::new_messages::{batches, cut, last_answer, new_messages, newest};
use crate::lane::{EventDraft, Lane};
use crate::{SessionError, blocking};

/// The most times that hooks make a turn go on that was at its end.
const MAX_GOING_ON: u32 = 8;

/// The bytes of a message that a hook injects.
const MAX_INJECTED: usize = 64 * 1024;

/// The hooks of one turn, or of a compaction that a user asked for.
#[derive(Debug)]
pub(crate) struct HookPoints {
    lane: Arc<Lane>,
    chain: HookChain,
    stop: StopSignal,
    turn_id: Option<TurnId>,
    /// The turn's first call was shown.
    started: bool,
    /// The coming call was shown.
    shown: bool,
    /// That the coming call needs room was shown.
    trimmed: bool,
    /// The new messages that were shown last before a request.
    sent: HashSet<EventId>,
}

/// The turn as the hooks of a point have left it.
#[derive(Debug)]
pub(crate) enum Passage {
    /// It takes its course.
    Passed {
        /// The model reads something else than before.
        changed: bool,
    },
    /// It goes on, at its end.
    GoesOn,
    /// It ends: with an error, or as completed.
    Ends(Option<TurnError>),
    /// It is to stop or to park, and the hooks were not all asked.
    Stopped,
}

impl HookPoints {
    pub(crate) fn new(
        lane: &Arc<Lane>,
        chain: &HookChain,
        stop: &StopSignal,
        turn_id: Option<TurnId>,
    ) -> Self {
        Self {
            lane: Arc::clone(lane),
            chain: chain.clone(),
            stop: stop.clone(),
            turn_id,
            started: false,
            shown: false,
            trimmed: false,
            sent: HashSet::new(),
        }
    }

    /// The coming call was shown before: the turn has waited since.
    #[must_use]
    pub(crate) const fn after_wait(mut self, has_waited: bool) -> Self {
        self.started = has_waited;
        self.shown = has_waited;
        self
    }

    /// Before a model call. A `repeated` one is shown to the hooks of [`HookPoint::Send`] alone.
    pub(crate) async fn before_call(&mut self, repeated: bool) -> Result<Passage, SessionError> {
        let next = (!repeated && !self.shown).then(|| self.call_to_come());
        match self
            .at_beginning(matches!(next, Some(Occasion::Start { .. })))
            .await?
        {
            Passage::Passed { .. } => {}
            other => return Ok(other),
        }
        if let Some(next) = next {
            match self.pass(next).await? {
                Passage::Passed { .. } => (self.shown, self.started) = (true, true),
                other => return Ok(other),
            }
        }
        self.before_send().await
    }

    /// Before a runner gets the prompt of its turn.
    pub(crate) async fn before_prompt(&self) -> Result<Passage, SessionError> {
        match self.at_beginning(true).await? {
            Passage::Passed { .. } => self.pass(self.start()).await,
            other => Ok(other),
        }
    }

    /// The model call is made.
    pub(crate) const fn call_made(&mut self) {
        self.shown = false;
        self.trimmed = false;
    }

    /// The call was refused, since it has no room. It is made again.
    pub(crate) const fn call_refused(&mut self) {
        self.shown = true;
    }

    /// Before room is made, once a call. Returns whether something has changed, so that there may be room now.
    pub(crate) async fn before_trim(
        &mut self,
        trigger: CompactionTrigger,
        instructions: Option<String>,
    ) -> Result<Passage, SessionError> {
        if std::mem::replace(&mut self.trimmed, true) {
            return Ok(Passage::Passed { changed: false });
        }
        let occasion = Occasion::Trim {
            trigger,
            instructions,
        };
        let passage = self.pass(occasion).await?;
        if let Passage::Passed { changed: true } = passage {
            // A hook may have put words in the place of those that were looked at.
            self.sent.clear();
        }
        Ok(passage)
    }

    /// Before a summary that a user asked for: its model reads what no request has had.
    pub(crate) async fn before_summary(
        &mut self,
        instructions: Option<String>,
    ) -> Result<Passage, SessionError> {
        let trigger = CompactionTrigger::Manual;
        match self.before_trim(trigger, instructions).await? {
            Passage::Passed { .. } => self.before_send().await,
            other => Ok(other),
        }
    }

    /// At the end of the turn.
    pub(crate) async fn at_end(&self) -> Result<Passage, SessionError> {
        let turn = |turn: &scorel_proto::OpenTurn| turn.went_on;
        let went_on = self.lane.view(|view| view.state.turn.as_ref().map(turn));
        let went_on = went_on.unwrap_or_default();
        if went_on >= MAX_GOING_ON {
            let session = self.lane.id();
            tracing::warn!(%session, "hooks have made the turn go on {MAX_GOING_ON} times: it ends");
            return Ok(Passage::Passed { changed: false });
        }
        let background = match self.attending(HookPoint::End).is_empty() {
            true => Vec::new(),
            false => self.background().await?,
        };
        let background = background.into();
        self.pass(Occasion::End {
            went_on,
            background,
        })
        .await
    }

    /// The commands and the agents of the session that work now.
    async fn background(&self) -> Result<Vec<BackgroundTask>, SessionError> {
        let agents = self.lane.view(|view| {
            let open = view.state.runtimes.unfinished();
            let task = |(id, task): (AgentTaskId, &AgentTask)| BackgroundTask {
                id: id.to_string(),
                title: task.title.clone(),
                agent_type: Some(task.agent_type.clone()),
            };
            open.map(task).collect::<Vec<_>>()
        });
        let resources = Arc::clone(self.lane.resources());
        let commands = blocking(move || resources.background()).await?;
        let command = |(id, title): (String, String)| BackgroundTask {
            id,
            title,
            agent_type: None,
        };
        Ok(commands.into_iter().map(command).chain(agents).collect())
    }

    fn call_to_come(&self) -> Occasion {
        let steps = |view: &SessionView| view.state.turn.as_ref().map_or(0, |turn| turn.steps);
        match self.started || self.lane.view(steps) > 0 {
            true => Occasion::Call,
            false => self.start(),
        }
    }

    fn start(&self) -> Occasion {
        Occasion::Start {
            first_turn: self.is_first_turn(),
        }
    }

    fn is_first_turn(&self) -> bool {
        self.lane.view(|view| view.state.last_outcome.is_none())
    }

    async fn at_beginning(&self, is_start: bool) -> Result<Passage, SessionError> {
        match self.source(is_start).await? {
            Some(source) => self.pass(Occasion::Begin { source }).await,
            None => Ok(Passage::Passed { changed: false }),
        }
    }

    /// The way in which the conversation begins with the coming call, if it does. Takes note of it.
    async fn source(&self, is_start: bool) -> Result<Option<SessionSource>, SessionError> {
        if self.chain.attending_beginnings().next().is_none() {
            return Ok(None);
        }
        let window = self.window().await?;
        let summary = window.barrier().unwrap_or_default();
        let known = self.lane.note_summary(summary);
        let is_alone = || window.items().all(|(item, _)| item.turn_id == self.turn_id);
        Ok(match known {
            _ if is_start && self.is_first_turn() => Some(SessionSource::Startup),
            _ if is_start && summary == Seq::ZERO && is_alone() => Some(SessionSource::Clear),
            None if is_start => Some(SessionSource::Resume),
            Some(known) if summary > known => Some(SessionSource::Compact),
            _ => None,
        })
    }

    /// Shows the messages to come to the hooks that look at all that is sent, those that they have not seen.
    async fn before_send(&mut self) -> Result<Passage, SessionError> {
        let hooks = self.attending(HookPoint::Send);
        let mut changed = false;
        for hook in &hooks {
            let window = self.window().await?;
            let mut unseen = new_messages(&window);
            unseen.retain(|message| !self.sent.contains(&message.event_id));
            let batches = match batches(unseen) {
                Ok(batches) => batches,
                Err(reason) => return Ok(failed(hook.name(), reason)),
            };
            for messages in batches {
                let moment = Moment {
                    occasion: Occasion::Send,
                    turn_id: self.turn_id,
                    attempt: 1,
                    messages: messages.into(),
                    left_out: 0,
                };
                match self.show(hook, &moment).await? {
                    Passage::Passed { changed: by_it } => changed |= by_it,
                    other => return Ok(other),
                }
            }
        }
        if !hooks.is_empty() {
            let sent = new_messages(&self.window().await?);
            self.sent = sent.iter().map(|message| message.event_id).collect();
        }
        Ok(Passage::Passed { changed })
    }

    /// Shows a point to its hooks, in their order.
    async fn pass(&self, occasion: Occasion) -> Result<Passage, SessionError> {
        let attempt = self.attempt(&occasion);
        let mut changed = false;
        let hooks = match occasion {
            Occasion::Begin { .. } => self.chain.attending_beginnings().cloned().collect(),
            _ => self.attending(occasion.point()),
        };
        for hook in hooks {
            let window = self.window().await?;
            let (messages, left_out) = match &occasion {
                Occasion::End { .. } => newest(last_answer(&window).into_iter().collect()),
                _ => newest(new_messages(&window)),
            };
            let moment = Moment {
                occasion: occasion.clone(),
                turn_id: self.turn_id,
                attempt,
                messages: messages.into(),
                left_out,
            };
            match self.show(&hook, &moment).await? {
                Passage::Passed { changed: by_it } => changed |= by_it,
                other => return Ok(other),
            }
        }
        Ok(Passage::Passed { changed })
    }

    /// Shows a moment to a hook, and records what it answers.
    async fn show(&self, hook: &Arc<dyn Hooks>, moment: &Moment) -> Result<Passage, SessionError> {
        let answered = hook.at(moment);
        let MomentAnswer {
            mut inject,
            edits,
            verdict,
        } = tokio::select! {
            biased;
            _ = self.stop.gives_up() => return Ok(Passage::Stopped),
            answer = answered => answer,
        };
        let (by, point) = (hook.name(), moment.occasion.point());
        let passage = match (verdict, point) {
            (MomentVerdict::Fail(reason), _) => return Ok(failed(by, reason)),
            (MomentVerdict::Deny(reason), HookPoint::Start) => {
                return self.deny(by, &reason).await;
            }
            (MomentVerdict::GoOn(text), HookPoint::End) => {
                inject = Some(text);
                Some(Passage::GoesOn)
            }
            (MomentVerdict::Stop(reason), HookPoint::Start | HookPoint::Call | HookPoint::End) => {
                let session = self.lane.id();
                tracing::info!(%session, hook = by, reason, "a hook has ended the turn");
                Some(Passage::Ends(None))
            }
            _ => None,
        };
        let mut changed = false;
        if !edits.is_empty() && point != HookPoint::End {
            let window = self.window().await?;
            match checked(&window, point, edits) {
                Ok(ops) => {
                    self.edit(by, ops).await?;
                    changed = true;
                }
                Err(reason) if point == HookPoint::Send => return Ok(failed(by, reason)),
                Err(reason) => {
                    let session = self.lane.id();
                    tracing::warn!(%session, hook = by, reason, "edits of a hook are void");
                }
            }
        }
        let speaks = point != HookPoint::Send && (point != HookPoint::End || passage.is_some());
        if let Some(text) = inject.filter(|text| speaks && !text.is_empty()) {
            let body = CustomMessageBody::of_hook(by, point, bounded(text));
            self.record(PersistentBody::CustomMessage(body)).await?;
            changed = true;
        }
        Ok(passage.unwrap_or(Passage::Passed { changed }))
    }

    /// Ends a turn before its first call. Later turns have its messages in their context, so words that no
    /// model was to read are taken out there.
    async fn deny(&self, hook: &str, reason: &str) -> Result<Passage, SessionError> {
        let text = format!("[This message was not sent: the hook {hook} denied it.]");
        let window = self.window().await?;
        let is_of_turn = |id: EventId| {
            let mut items = window.items().map(|(item, _)| item);
            items.any(|item| item.event_id == id && item.turn_id == self.turn_id)
        };
        let denied = new_messages(&window)
            .into_iter()
            .filter(|message| matches!(message.role, Role::User) && is_of_turn(message.event_id));
        let ops: Vec<ContextOp> = denied
            .map(|message| ContextOp::replace(message.event_id, text.as_str()))
            .collect();
        if !ops.is_empty() {
            self.edit(hook, ops).await?;
        }
        let error = error("hook_denied", format!("{hook}: {reason}"));
        Ok(Passage::Ends(Some(error)))
    }

    async fn edit(&self, by: &str, ops: Vec<ContextOp>) -> Result<(), SessionError> {
        let by = by.to_owned();
        self.record(PersistentBody::ContextEdit(ContextEditBody { by, ops }))
            .await
    }

    async fn record(&self, body: PersistentBody) -> Result<(), SessionError> {
        let draft = EventDraft::new(body);
        let draft = match self.turn_id {
            Some(turn_id) => draft.in_turn(turn_id),
            None => draft,
        };
        self.lane.persist_event(draft).await
    }

    fn attending(&self, point: HookPoint) -> Vec<Arc<dyn Hooks>> {
        self.chain.attending(point).cloned().collect()
    }

    /// Another daemon has come to this point if it has recorded something there.
    fn attempt(&self, occasion: &Occasion) -> u32 {
        let is_first = match occasion {
            Occasion::Begin { .. } | Occasion::Start { .. } => true,
            Occasion::Call => !self.started,
            _ => false,
        };
        let hooked = |turn: &scorel_proto::OpenTurn| turn.hooked > 0;
        let turn = |view: &SessionView| view.state.turn.as_ref().is_some_and(hooked);
        1 + u32::from(is_first && self.lane.view(turn))
    }

    async fn window(&self) -> Result<ContextWindow, SessionError> {
        self.lane.read_window(ContextWindow::clone).await
    }
}

fn failed(hook: &str, reason: impl std::fmt::Display) -> Passage {
    let text = format!("{hook}: {reason}");
    Passage::Ends(Some(error("hook_failed", text)))
}

fn error(code: &str, message: String) -> TurnError {
    TurnError {
        code: code.to_owned(),
        message,
        retryable: false,
        hint: None,
        resets_at: None,
        sizes: None,
    }
}

/// The text, cut where it is longer than a hook may inject.
fn bounded(mut text: String) -> String {
    if cut(&mut text, MAX_INJECTED) {
        text.push_str("\n[the rest had no room]");
    }
    text
}
