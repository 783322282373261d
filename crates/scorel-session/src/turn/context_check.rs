//! The check between the context of a model call and the call: does it fit?
//!
//! Over budget, old tool results are shortened if that is enough; else a summary takes the place of
//! the older messages. After either the turn looks again from the start: it may have been cancelled,
//! or have reached a limit, meanwhile.

use std::sync::Arc;

use scorel_proto::{
    CompactionBody, CompactionId, CompactionState, CompactionTrigger, Context, ContextSizes,
    ContextTrimBody, ContextWindow, PersistentBody, TurnError,
};
use scorel_runtime::{ModelInfo, RawRuntimeEvent, Spent, TurnPorts};

use super::task::TurnTask;
use crate::compaction::{
    Compaction, CompactionEnd, CompactionOrder, KEPT_CHARS, compaction_result, trim,
};
use crate::compaction_breaker::BudgetCheck;
use crate::context_size::{ContextSize, FixedParts, WindowSizes, model_key};
use crate::lane::EventDraft;
use crate::{CompactionSetup, SessionError};

/// What an answer needs at least, in tokens. With less room a call is in vain.
const LEAST_ANSWER: u64 = 1_024;

/// Fits the contexts of one turn into its model's window.
pub(super) struct ContextCheck {
    task: TurnTask,
    ports: TurnPorts,
    setup: CompactionSetup,
    fixed: FixedParts,
    /// The system prompt, if a compaction has renewed it since this was last taken.
    renewed: Option<String>,
    /// What summaries have used since this was last taken.
    spent: Spent,
}

/// What the turn does next.
pub(super) enum NextContext {
    /// It makes its call.
    Ready(Context),
    /// The context has changed, or the turn is to stop: it looks again.
    Again,
    /// No call fits.
    Full(TurnError),
}

/// What came of trying to make room.
enum Room {
    Made,
    Stopped,
    /// There is none, and why.
    Failed(Option<TurnError>),
}

impl ContextCheck {
    pub(super) fn new(task: &TurnTask, ports: &TurnPorts, setup: CompactionSetup) -> Self {
        Self {
            task: task.clone(),
            fixed: FixedParts::of(ports),
            ports: ports.clone(),
            setup,
            renewed: None,
            spent: Spent::default(),
        }
    }

    pub(super) const fn take_renewed(&mut self) -> Option<String> {
        self.renewed.take()
    }

    pub(super) fn take_spent(&mut self) -> Spent {
        std::mem::take(&mut self.spent)
    }

    /// Learns from an answer how its endpoint names the model.
    pub(super) fn look_at(&self, event: &RawRuntimeEvent) {
        if let RawRuntimeEvent::MessageEnd { message } = event {
            self.task.lane.answered_as(self.model(), &message.model);
        }
    }

    /// How many tokens the next request has, from the sizes that the window keeps.
    pub(super) async fn request_tokens(&self) -> Result<u64, SessionError> {
        let (_, size) = self.sized().await?;
        Ok(size.tokens)
    }

    /// The context of the next model call.
    pub(super) async fn next(&mut self) -> Result<NextContext, SessionError> {
        let (context, size) = self.sized().await?;
        let budget = self.setup.settings.budget(self.model());
        let check = BudgetCheck {
            over: size.tokens > budget,
            counted_over: size.counted.map(|tokens| tokens > budget),
        };
        let key = model_key(self.model());
        let lane = &self.task.lane;
        let allowed = lane.compaction_breaker(|breaker| breaker.check(&key, check));
        if !check.over {
            return Ok(NextContext::Ready(context));
        }
        if self.trim(&size).await? {
            return Ok(NextContext::Again);
        }
        let failed = if allowed {
            match self.compact(CompactionTrigger::Threshold).await? {
                Room::Made | Room::Stopped => return Ok(NextContext::Again),
                Room::Failed(error) => error,
            }
        } else {
            None
        };
        if size.tokens + LEAST_ANSWER <= self.model().context_window {
            return Ok(NextContext::Ready(context));
        }
        self.full(failed).await
    }

    /// Makes room after the endpoint has refused a request as too large.
    pub(super) async fn make_room(
        &mut self,
        refused: TurnError,
    ) -> Result<NextContext, SessionError> {
        let lane = &self.task.lane;
        let window = self.model().context_window;
        let all = lane.read_window(ContextWindow::tokens).await? + self.fixed.all();
        lane.overflowed(self.model(), all, window);
        let key = model_key(self.model());
        let check = BudgetCheck {
            over: true,
            counted_over: Some(true),
        };
        if lane.compaction_breaker(|breaker| breaker.check(&key, check)) {
            match self.compact(CompactionTrigger::Overflow).await? {
                Room::Made | Room::Stopped => return Ok(NextContext::Again),
                Room::Failed(error) => return self.full(error.or(Some(refused))).await,
            }
        }
        self.full(Some(refused)).await
    }

    fn model(&self) -> &ModelInfo {
        self.ports.provider.model()
    }

    async fn sized(&self) -> Result<(Context, ContextSize), SessionError> {
        let lane = &self.task.lane;
        let both = |window: &ContextWindow| (window.context().clone(), WindowSizes::of(window));
        let (context, sizes) = lane.read_window(both).await?;
        let size = lane.size_of(&sizes, self.fixed, self.model());
        Ok((context, size))
    }

    /// Shortens old tool results, if that makes enough room.
    async fn trim(&self, size: &ContextSize) -> Result<bool, SessionError> {
        let turn_id = self.task.turn_id;
        let window = self.task.lane.read_window(ContextWindow::clone).await?;
        let chosen = trim(&window, Some(turn_id), size, self.model().context_window);
        let Some(event_ids) = chosen else {
            return Ok(false);
        };
        let body = PersistentBody::ContextTrim(ContextTrimBody {
            event_ids,
            keep_chars: KEPT_CHARS,
        });
        let draft = EventDraft::new(body).in_turn(turn_id);
        let committed = self
            .task
            .lane
            .persist(move |section| section.commit(draft.clone()).map(drop));
        committed.await?;
        Ok(true)
    }

    async fn compact(&mut self, trigger: CompactionTrigger) -> Result<Room, SessionError> {
        let lane = Arc::clone(&self.task.lane);
        let turn_id = self.task.turn_id;
        let compaction = Compaction {
            lane: Arc::clone(&lane),
            ports: self.ports.clone(),
            setup: self.setup.clone(),
            stop: self.task.stop.clone(),
            turn_id: Some(turn_id),
        };
        let Some(plan) = compaction.plan().await? else {
            return Ok(Room::Failed(None));
        };
        let order = CompactionOrder {
            id: CompactionId::generate(),
            trigger,
            instructions: None,
        };
        let started = EventDraft::new(PersistentBody::Compaction(CompactionBody {
            trigger: Some(trigger),
            model: Some(compaction.model()),
            ..CompactionBody::new(order.id, CompactionState::Started)
        }));
        let draft = started.in_turn(turn_id);
        lane.persist(move |section| section.commit(draft.clone()).map(drop))
            .await?;
        let mut used = Spent::default();
        let end = compaction.run(plan, &order, &mut used).await;
        self.spent.add_all(&used);
        let room = match &end {
            CompactionEnd::Made(_) => Room::Made,
            CompactionEnd::Stopped(_) => Room::Stopped,
            CompactionEnd::Failed(error) => Room::Failed(Some(error.clone())),
        };
        let result = compaction_result(order.id, end, used);
        lane.persist(move |section| section.end_compaction(Some(turn_id), &result))
            .await?;
        lane.compaction_breaker(|breaker| match &room {
            Room::Made => breaker.made(),
            Room::Failed(_) => breaker.failed(),
            Room::Stopped => {}
        });
        if matches!(room, Room::Made) {
            self.renew_instructions().await?;
        }
        Ok(room)
    }

    /// The summary has changed the prefix of the requests to come, so this is the time to change the
    /// rest of it. Instructions that cannot be read again stay as they are.
    async fn renew_instructions(&mut self) -> Result<(), SessionError> {
        match self.task.renew_guidance().await? {
            Ok(system) if system != self.ports.system => {
                self.ports.system.clone_from(&system);
                self.fixed = FixedParts::of(&self.ports);
                self.renewed = Some(system);
            }
            Ok(_) => {}
            Err(error) => {
                let (session, error) = (self.task.lane.id(), error.message);
                tracing::warn!(%session, error, "the instructions were not renewed");
            }
        }
        Ok(())
    }

    /// The error of a turn that cannot go on, naming what fills the window.
    async fn full(&self, cause: Option<TurnError>) -> Result<NextContext, SessionError> {
        let (_, size) = self.sized().await?;
        let messages = self.task.lane.read_window(ContextWindow::tokens).await?;
        let count = |estimate| size.calibration.tokens(estimate);
        let sizes = ContextSizes {
            system: count(self.fixed.system),
            tools: count(self.fixed.tools),
            kept: count(messages),
            window: self.model().context_window,
        };
        let text = format!(
            "the request does not fit into the model's window of {} tokens: instructions {}, tools \
             {}, messages {}",
            sizes.window, sizes.system, sizes.tools, sizes.kept
        );
        Ok(NextContext::Full(TurnError {
            resets_at: None,
            sizes: Some(Box::new(sizes)),
            code: "context_overflow".to_owned(),
            message: match &cause {
                Some(cause) => format!("{text}; {}", cause.message),
                None => text,
            },
            retryable: false,
            hint: Some(
                "choose a model with a larger window, fewer tools, or begin a new session"
                    .to_owned(),
            ),
        }))
    }
}
