//! The check between the context of a model call and the call: does it fit?
//!
//! Over budget, old tool results are shortened if that is enough, and new ones if nothing else can be;
//! else a summary takes the place of the older messages. After either the turn looks again from the start: it may have been cancelled,
//! or have reached a limit, meanwhile.

use std::sync::Arc;

use scorel_engine::{ModelInfo, Spent, TurnPorts};
use scorel_proto::{
    CompactionBody, CompactionId, CompactionState, CompactionTrigger, Context, ContextSizes,
    ContextTrimBody, ContextWindow, PersistentBody, RequestProof, TurnError,
};

use super::prepare::RenewedPrefix;
use super::request_proofs::RequestProofs;
use super::task::TurnTask;
use crate::compaction::{Compaction, CompactionEnd, compaction_end_body, trim, trim_last_step};
use crate::compaction_breaker::BudgetCheck;
use crate::context_size::{Calibration, ContextSize, FixedParts, WindowSizes};
use crate::hook_points::{HookPoints, Passage};
use crate::{CompactionSetup, SessionError};

/// What an answer needs at least, in tokens. With less room a call is in vain.
const LEAST_ANSWER: u64 = 1_024;

/// Fits the contexts of one turn into its model's window.
pub(super) struct ContextCheck {
    task: TurnTask,
    ports: TurnPorts,
    setup: CompactionSetup,
    fixed: FixedParts,
    proofs: Option<RequestProofs>,
    /// The beginning of requests, if it was renewed since this was last taken.
    pub(super) renewed: Option<RenewedPrefix>,
    /// What summaries have used since this was last taken.
    pub(super) spent: Spent,
    /// Set once the turn has tried a compaction. The first is tried even after those of earlier turns were
    /// in vain: it may replace what theirs could not, the last step of their turn.
    tried: bool,
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

/// Shows the hooks that room is about to be made. Returns what the turn does then, unless that is to go on
/// making room.
async fn shown(
    hooks: &mut HookPoints,
    trigger: CompactionTrigger,
) -> Result<Option<NextContext>, SessionError> {
    let next = match hooks.before_trim(trigger, None).await? {
        Passage::Passed { changed: true } | Passage::Stopped => NextContext::Again,
        Passage::Ends(Some(error)) => NextContext::Full(error),
        Passage::Passed { changed: false } | Passage::GoesOn | Passage::Ends(None) => {
            return Ok(None);
        }
    };
    Ok(Some(next))
}

impl ContextCheck {
    pub(super) fn new(task: &TurnTask, ports: &TurnPorts, setup: CompactionSetup) -> Self {
        Self {
            task: task.clone(),
            fixed: FixedParts::of(ports),
            ports: ports.clone(),
            setup,
            proofs: RequestProofs::of(&task.lane),
            renewed: None,
            spent: Spent::default(),
            tried: false,
        }
    }

    /// The proof of the request with this context, if the log has to have one.
    pub(super) async fn proof(
        &mut self,
        context: &Context,
    ) -> Result<Option<RequestProof>, SessionError> {
        match &mut self.proofs {
            None => Ok(None),
            Some(proofs) => proofs.of_request(&self.ports, context).await.map(Some),
        }
    }

    /// How many tokens the next request has, from the sizes that the window keeps.
    pub(super) async fn request_tokens(&self) -> Result<u64, SessionError> {
        let (_, size) = self.sized().await?;
        Ok(size.tokens)
    }

    /// The context of the next model call.
    pub(super) async fn next(
        &mut self,
        hooks: &mut HookPoints,
    ) -> Result<NextContext, SessionError> {
        let (context, size) = self.sized().await?;
        let budget = self.setup.settings.budget(self.model());
        let check = BudgetCheck {
            over: size.tokens > budget,
            counted_over: size.counted.map(|tokens| tokens > budget),
        };
        let allowed = self.may_compact(check);
        if !check.over {
            return Ok(NextContext::Ready(context));
        }
        if let Some(next) = shown(hooks, CompactionTrigger::Threshold).await? {
            return Ok(next);
        }
        if self.trim(&size).await? || self.trim_last_step(&size.calibration, budget).await? {
            return Ok(NextContext::Again);
        }
        let Room::Failed(failed) = self.compact(CompactionTrigger::Threshold, allowed).await?
        else {
            return Ok(NextContext::Again);
        };
        let most = self.model().context_window.saturating_sub(LEAST_ANSWER);
        if size.tokens <= most {
            return Ok(NextContext::Ready(context));
        }
        if self.trim_last_step(&size.calibration, most).await? {
            return Ok(NextContext::Again);
        }
        self.full(failed).await
    }

    /// Makes room after the endpoint has refused a request as too large.
    pub(super) async fn make_room(
        &mut self,
        refused: TurnError,
        hooks: &mut HookPoints,
    ) -> Result<NextContext, SessionError> {
        let lane = &self.task.lane;
        let window = self.model().context_window;
        let all = lane.read_window(ContextWindow::tokens).await? + self.fixed.all();
        lane.overflowed(self.model(), all, window);
        if let Some(next) = shown(hooks, CompactionTrigger::Overflow).await? {
            return Ok(next);
        }
        let (_, size) = self.sized().await?;
        let budget = self.setup.settings.budget(self.model());
        if self.trim_last_step(&size.calibration, budget).await? {
            return Ok(NextContext::Again);
        }
        let allowed = self.may_compact(BudgetCheck {
            over: true,
            counted_over: Some(true),
        });
        let Room::Failed(failed) = self.compact(CompactionTrigger::Overflow, allowed).await? else {
            return Ok(NextContext::Again);
        };
        // The window may be smaller than it is said to be.
        if self
            .trim_last_step(&size.calibration, size.tokens / 2)
            .await?
        {
            return Ok(NextContext::Again);
        }
        self.full(failed.or(Some(refused))).await
    }

    fn may_compact(&self, check: BudgetCheck) -> bool {
        let model = self.model().name();
        let lane = &self.task.lane;
        lane.compaction_breaker(|breaker| breaker.check(&model, check)) || !self.tried
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
        let window = self.task.lane.read_window(ContextWindow::clone).await?;
        let most = self.model().context_window;
        let chosen = trim(&window, self.task.turn_id, size, most);
        self.shorten(chosen).await
    }

    /// Shortens the results that the model has not seen, if they are what has no room.
    async fn trim_last_step(
        &self,
        calibration: &Calibration,
        budget: u64,
    ) -> Result<bool, SessionError> {
        let window = self.task.lane.read_window(ContextWindow::clone).await?;
        let room = budget.saturating_sub(calibration.tokens(self.fixed.all()));
        let chosen = trim_last_step(&window, self.task.turn_id, calibration, room);
        self.shorten(chosen).await
    }

    /// Returns whether there was something to shorten.
    async fn shorten(&self, chosen: Option<ContextTrimBody>) -> Result<bool, SessionError> {
        let Some(body) = chosen else {
            return Ok(false);
        };
        self.task.commit(PersistentBody::ContextTrim(body)).await?;
        Ok(true)
    }

    /// Has a summary made, if it is `allowed`.
    async fn compact(
        &mut self,
        trigger: CompactionTrigger,
        allowed: bool,
    ) -> Result<Room, SessionError> {
        if !allowed {
            return Ok(Room::Failed(None));
        }
        let lane = Arc::clone(&self.task.lane);
        let compaction = Compaction {
            lane: Arc::clone(&lane),
            ports: self.ports.clone(),
            setup: self.setup.clone(),
            stop: self.task.stop.clone(),
            turn_id: Some(self.task.turn_id),
            instructions: None,
            trigger,
        };
        let Some(plan) = compaction.plan().await? else {
            return Ok(Room::Failed(None));
        };
        self.tried = true;
        let id = CompactionId::generate();
        let started = PersistentBody::Compaction(CompactionBody {
            trigger: Some(trigger),
            model: Some(plan.model()),
            ..CompactionBody::new(id, CompactionState::Started)
        });
        self.task.commit(started).await?;
        let mut used = Spent::default();
        let end = compaction.run(plan, id, &mut used).await;
        self.spent.add_all(&used);
        let room = match &end {
            CompactionEnd::Made(_) => Room::Made,
            CompactionEnd::Stopped(_) => Room::Stopped,
            CompactionEnd::Failed(error) => Room::Failed(Some(error.clone())),
        };
        self.task
            .commit(compaction_end_body(id, end, &used))
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
            Ok(prefix) => self.renew(prefix),
            Err(error) => {
                let (session, error) = (self.task.lane.id(), error.message);
                tracing::warn!(%session, error, "the instructions were not renewed");
            }
        }
        Ok(())
    }

    /// Leaves tools that the endpoint refuses out of the requests to come. The result is what the turn fails with, if it
    /// does.
    pub(super) async fn defer_tools(
        &mut self,
        refused: Vec<String>,
    ) -> Result<Result<(), TurnError>, SessionError> {
        let deferred = self.task.defer_tools(refused).await?;
        Ok(deferred.map(|prefix| self.renew(prefix)))
    }

    fn renew(&mut self, prefix: RenewedPrefix) {
        self.ports.system.clone_from(&prefix.system);
        self.ports.tools = prefix.tools.clone();
        self.fixed = FixedParts::of(&self.ports);
        if let Some(proofs) = &mut self.proofs {
            proofs.begins_anew();
        }
        self.renewed = Some(prefix);
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
                "make room with `scorelctl compact`, or go back to before what is too long with \
                 `scorelctl rewind`; else choose a model with a larger window, fewer tools, or a new \
                 session"
                    .to_owned(),
            ),
        }))
    }
}
