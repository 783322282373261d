//! Compaction: a summary takes the place of the older part of a conversation.
//!
//! In: a session whose next request is too large, or whose user asks for it. Out: a `compact` record,
//! or one that says why there is none. `cut` decides which messages are summarised, `summary` asks a
//! model, which `writer` chooses. There are two attempts at most, the second with a new cut and no model that
//! failed and is not the session's. The caller owns the records: a turn commits them between two model calls, a
//! job of its own with its end.

mod cut;
mod job;
mod manual;
mod prompt;
mod record;
mod report;
mod summary;
mod trim;
mod writer;

use std::sync::Arc;

use scorel_engine::{Spent, StopCause, StopSignal, TurnPorts};
use scorel_proto::{
    CompactBody, CompactionFacts, CompactionId, CompactionState, CompactionTrigger, ContextWindow,
    Message, PersistentBody, TokenEstimate, TurnError, TurnId,
};

use cut::Cut;
pub(crate) use cut::ends_turn_of_one_before;
pub(crate) use job::end_body as compaction_end_body;
pub(crate) use record::interrupt as interrupt_compaction;
use summary::{Summarizer, SummaryError};
pub(crate) use trim::{trim, trim_last_step};
use writer::Writer;

use crate::context_size::{ContextSize, FixedParts, WindowSizes};
use crate::lane::{Lane, Section, SessionFeature};
use crate::{CompactionSetup, SessionError, blocking};

/// Files in the facts of a summary. The model names those that matter in its text.
const MAX_FILES: usize = 50;

/// Compactions, as the sessions know them.
#[derive(Debug)]
pub(crate) struct Compactions;

impl SessionFeature for Compactions {
    fn recover(&self, section: &mut Section<'_>) -> Result<(), SessionError> {
        interrupt_compaction(section, CompactionState::Interrupted, None)
    }
}

/// What a compaction works with.
#[derive(Debug)]
pub(crate) struct Compaction {
    pub(crate) lane: Arc<Lane>,
    pub(crate) ports: TurnPorts,
    pub(crate) setup: CompactionSetup,
    pub(crate) stop: StopSignal,
    /// The turn that it makes room for.
    pub(crate) turn_id: Option<TurnId>,
    /// The user's addition to the request for a summary.
    pub(crate) instructions: Option<String>,
    pub(crate) trigger: CompactionTrigger,
}

/// A conversation and where it is cut.
#[derive(Debug)]
pub(crate) struct CompactionPlan {
    window: ContextWindow,
    size: ContextSize,
    cut: Cut,
    writer: Writer,
}

impl CompactionPlan {
    /// The name of the model that is asked first, for records.
    pub(crate) fn model(&self) -> String {
        self.writer.provider.model().name()
    }
}

/// How a compaction ended.
#[derive(Debug)]
pub(crate) enum CompactionEnd {
    Made(CompactBody),
    Failed(TurnError),
    Stopped(StopCause),
}

impl Compaction {
    /// Where the conversation is cut, and the model to ask; `None` if there is nothing to replace.
    pub(crate) async fn plan(&self) -> Result<Option<CompactionPlan>, SessionError> {
        let window = self.lane.read_window(ContextWindow::clone).await?;
        let model = self.ports.provider.model();
        let sizes = WindowSizes::of(&window);
        let size = self
            .lane
            .size_of(&sizes, FixedParts::of(&self.ports), model);
        let Some(cut) = self.cut(&window, &size, 1) else {
            return Ok(None);
        };
        let writer = Writer::choose(
            &self.summarizer(&window, &size, &cut),
            self.setup.auxiliary.as_ref(),
            None,
        )
        .await?;
        Ok(Some(CompactionPlan {
            window,
            size,
            cut,
            writer,
        }))
    }

    /// Has the summary made. `spent` grows by what the calls used, also those in vain.
    pub(crate) async fn run(
        &self,
        mut plan: CompactionPlan,
        id: CompactionId,
        spent: &mut Spent,
    ) -> CompactionEnd {
        let error = match self.attempt(&plan, id, spent).await {
            Err(SummaryError::Stopped(cause)) => return CompactionEnd::Stopped(cause),
            Err(error) => error,
            Ok(body) => return CompactionEnd::Made(body),
        };
        let reason = error.to_string();
        tracing::warn!(session = %self.lane.id(), reason, "a summary could not be made");
        let is_own = Arc::ptr_eq(&plan.writer.provider, &self.ports.provider);
        if is_own && !is_worth_repeating(&error) {
            return CompactionEnd::Failed(failure(error));
        }
        // Half stays: a summary of more is more likely to be smaller than that.
        if let Some(cut) = self.cut(&plan.window, &plan.size, 2) {
            plan.cut = cut;
        }
        let summarizer = self.summarizer(&plan.window, &plan.size, &plan.cut);
        match Writer::choose(&summarizer, None, Some(&plan.writer)).await {
            Ok(writer) => plan.writer = writer,
            Err(error) => return CompactionEnd::Failed(failure(error.into())),
        }
        match self.attempt(&plan, id, spent).await {
            Ok(body) => CompactionEnd::Made(body),
            Err(SummaryError::Stopped(cause)) => CompactionEnd::Stopped(cause),
            Err(error) => CompactionEnd::Failed(failure(error)),
        }
    }

    /// The cut that leaves what usually stays, divided by `divisor`.
    fn cut(&self, window: &ContextWindow, size: &ContextSize, divisor: u64) -> Option<Cut> {
        let most = self.ports.provider.model().context_window / 4;
        let keep = self.setup.settings.keep_tokens.min(most) / divisor;
        Cut::choose(window, self.turn_id, keep, &size.calibration)
    }

    fn summarizer<'a>(
        &'a self,
        conversation: &'a ContextWindow,
        size: &'a ContextSize,
        cut: &'a Cut,
    ) -> Summarizer<'a> {
        Summarizer {
            ports: &self.ports,
            settings: &self.setup.settings,
            stop: &self.stop,
            lane: &self.lane,
            turn_id: self.turn_id,
            calibration: &size.calibration,
            instructions: self.instructions.as_deref(),
            conversation,
            cut,
        }
    }

    /// Asks the chosen model once.
    async fn attempt(
        &self,
        plan: &CompactionPlan,
        id: CompactionId,
        spent: &mut Spent,
    ) -> Result<CompactBody, SummaryError> {
        let summarizer = self.summarizer(&plan.window, &plan.size, &plan.cut);
        let provider = &plan.writer.provider;
        let summary = match &plan.writer.parts {
            None => summarizer.of_known(&**provider, spent).await?,
            Some(parts) => summarizer.of_quotation(&**provider, parts, spent).await?,
        };
        let facts = self.facts(plan).await?;
        let mut body = CompactBody {
            summary,
            compacted_through: plan.cut.through,
            keep: plan.cut.keep.into_iter().collect(),
            tokens_before: plan.size.tokens,
            tokens_after: 0,
            compaction_id: id,
            trigger: self.trigger,
            model: provider.model().name(),
            usage: spent.usage(),
            cost: spent.cost(),
            facts,
        };
        let summary = TokenEstimate::of_message(&Message::user(body.text()));
        if summary >= plan.cut.gone {
            return Err(SummaryError::Refused(
                "the summary is not smaller than what it replaces",
            ));
        }
        let rest = plan.window.tokens() - plan.cut.gone + summary;
        let fixed = FixedParts::of(&self.ports).all();
        body.tokens_after = plan.size.calibration.tokens(fixed + rest);
        Ok(body)
    }

    /// The facts of the covered part, after those of the summary that it begins with, so that no model
    /// has to remember them.
    async fn facts(&self, plan: &CompactionPlan) -> Result<CompactionFacts, SessionError> {
        let covered = plan.window.context().up_to(plan.cut.end);
        let older = match plan.window.barrier() {
            Some(seq) => self.lane.read_log(move |lane| lane.read_event(seq)).await?,
            None => None,
        };
        let older = match older.map(|event| event.body) {
            Some(PersistentBody::Compact(body)) => body.facts,
            _ => CompactionFacts::default(),
        };
        let resources = Arc::clone(self.lane.resources());
        let found = blocking(move || resources.facts(&covered)).await?;
        Ok(older.followed_by(found, MAX_FILES))
    }
}

/// A request that was refused as it is would be refused again; one that does not fit is made anew.
fn is_worth_repeating(error: &SummaryError) -> bool {
    match error {
        SummaryError::Refused(_) => true,
        SummaryError::Failed(error) => error.retryable,
        SummaryError::Stopped(_) | SummaryError::Session(_) => false,
    }
}

fn failure(error: SummaryError) -> TurnError {
    let message = format!("the conversation could not be summarised: {error}");
    let (code, retryable, hint) = match error {
        SummaryError::Failed(error) => ("provider_error", error.retryable, error.hint),
        SummaryError::Session(error) => (error.code().name(), error.code().retryable(), None),
        SummaryError::Refused(_) | SummaryError::Stopped(_) => ("no_summary", true, None),
    };
    TurnError {
        code: code.to_owned(),
        message,
        retryable,
        hint,
        resets_at: None,
        sizes: None,
    }
}
