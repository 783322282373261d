use scorel_proto::{
    Block, FoldedRun, PersistentBody, RunId, RunIntent, RunMode, RunPhase, RunReason,
    RunStateCause, SessionId, SessionState, TurnError,
};
use scorel_session::{EventDraft, OpeningMessage, Section, SessionError, SessionFeature};

use crate::engine_turn::record_engine_turn;
use crate::error::RunError;
use crate::open_run::OpenRun;
use crate::phases::rest;
use crate::runs::Runs;
use crate::states::{record_phase, record_states};
use crate::words::{OpeningWords, node_brief_message};

impl Runs {
    /// Takes note of the run of a loaded session.
    pub(crate) fn bind(&self, session: SessionId, run: RunId, mode: RunMode) {
        self.memory().bound.insert(session, (run, mode));
    }

    /// Checks that a turn of a session can be one of its run. Reads files; blocks.
    ///
    /// # Errors
    /// Why the run cannot go on. The turn ends with it, before its first model call.
    pub(crate) fn check_turn(&self, session: SessionId) -> Result<(), TurnError> {
        let bound = self.memory().bound.get(&session).copied();
        let Some((id, RunMode::Run)) = bound else {
            return Ok(());
        };
        match self.open(id) {
            Ok(_) | Err(RunError::NotFound(_)) => Ok(()),
            Err(error) => Err(TurnError {
                code: error.code().name().to_owned(),
                message: error.to_string(),
                retryable: false,
                hint: hint(&error, id),
                resets_at: None,
                sizes: None,
            }),
        }
    }

    /// The run that a session has: its files, or why they cannot be used. `None` for other sessions, those whose run is
    /// deleted, and those that another session has taken the run from.
    pub(crate) fn of(
        &self,
        section: &Section<'_>,
    ) -> Option<(FoldedRun, Result<OpenRun, RunError>)> {
        let id = section.lane().header().run?;
        let known = section.view().state.run.clone()?;
        let mode = match section.view().state.turn.is_some() {
            true => known.mode(),
            false => known.shown.mode,
        };
        self.bind(section.lane().id(), id, mode);
        let run = self.open(id);
        let is_last = |run: &OpenRun| run.file.sessions.last() == Some(&section.lane().id());
        match run {
            Err(RunError::NotFound(_)) => None,
            Ok(run) if !is_last(&run) => None,
            run => Some((known, run)),
        }
    }

    /// The model is told of a node as soon as the run is there, and again when it may have lost what it was told.
    fn brief(&self, section: &mut Section<'_>) -> Result<(), SessionError> {
        let Some((_, Ok(run))) = self.of(section) else {
            return Ok(());
        };
        record_states(section, &run, RunStateCause::External)?;
        let known = section.view().state.run.clone();
        let Some(known) = known.filter(|known| known.mode() == RunMode::Run) else {
            return Ok(());
        };
        if known.told_node.as_deref() == Some(run.node_id()) {
            return Ok(());
        }
        accepted(&run);
        let tools = self.tools_at_node(&run, RunMode::Run);
        let Some(message) = node_brief_message(&run, &known, &tools) else {
            return Ok(());
        };
        let turn = section.view().state.turn_id();
        let draft = EventDraft::new(PersistentBody::CustomMessage(message)).in_turn(turn);
        section.commit(draft).map(drop)
    }

    /// Records what the last turn has made of the run.
    fn judge(&self, section: &mut Section<'_>) -> Result<(), SessionError> {
        let Some((known, run)) = self.of(section) else {
            return Ok(());
        };
        let mut has_changed = known.has_changed;
        if let Ok(run) = &run {
            // Also what was changed during the last call of the turn.
            has_changed |= run.text.sha256 != known.sha256;
            record_states(section, run, RunStateCause::External)?;
        }
        rest(section, run.as_ref(), has_changed)
    }
}

impl SessionFeature for Runs {
    fn is_settled(&self, state: &SessionState) -> bool {
        state.run.as_ref().is_none_or(|run| !run.is_undecided)
    }

    /// A call that had changed the document is not made again: the model is told of the node that it is at now.
    fn recover(&self, section: &mut Section<'_>) -> Result<(), SessionError> {
        let is_open = section.view().state.turn.is_some();
        match self.of(section) {
            Some((known, Ok(run))) if is_open && known.mode() == RunMode::Run => {
                record_states(section, &run, RunStateCause::Recovered)
            }
            _ => Ok(()),
        }
    }

    fn worded(
        &self,
        section: &mut Section<'_>,
        content: Vec<Block>,
        message: OpeningMessage,
    ) -> Result<Vec<Block>, SessionError> {
        let Some((mut known, run)) = self.of(section) else {
            return Ok(content);
        };
        if message.is_elsewhere {
            known.forget_told();
        }
        let mode = message.mode.unwrap_or(known.shown.mode);
        self.bind(section.lane().id(), known.shown.run_id, mode);
        let words = OpeningWords::new(content, message.is_typed);
        let reason = match words.intent {
            None => RunReason::Message,
            Some(RunIntent::Start) => RunReason::Started,
            Some(RunIntent::Continue) => RunReason::Autopilot,
            Some(RunIntent::Resume) => RunReason::Resumed,
        };
        if mode == RunMode::Run || words.intent.is_some() {
            record_phase(section, (RunPhase::Running, reason))?;
        }
        let Ok(run) = run else {
            return Ok(words.plain());
        };
        record_states(section, &run, RunStateCause::External)?;
        accepted(&run);
        let tools = self.tools_at_node(&run, RunMode::Run);
        Ok(words.told(&run, &known, mode, &tools))
    }

    fn before_call(&self, section: &mut Section<'_>) -> Result<(), SessionError> {
        self.brief(section)?;
        record_engine_turn(section)
    }

    fn at_rest(&self, section: &mut Section<'_>) -> Result<(), SessionError> {
        self.judge(section)?;
        record_engine_turn(section)
    }

    fn removed(&self, id: SessionId) {
        let mut memory = self.memory();
        memory.bound.remove(&id);
        memory.tools.remove(&id);
        memory.budgets.remove(&id);
    }
}

/// The command that helps a person with a run that cannot go on.
fn hint(error: &RunError, id: RunId) -> Option<String> {
    match error {
        RunError::StateInvalid(_) => Some(format!(
            "mend the document, or bring its last good state back: `scorelctl run repair {id}`"
        )),
        RunError::PackageMissing { .. } => Some(format!(
            "`scorelctl run rebind {id}` binds it to the package that is installed"
        )),
        _ => None,
    }
}

/// Keeps the document as the last good one: a person's edit is as good as a call's.
fn accepted(run: &OpenRun) {
    if run.dir.read_last_good().as_ref() == Ok(&run.text) {
        return;
    }
    if let Err(error) = run.dir.accept_document(&run.text.text) {
        tracing::warn!(run = %run.file.run_id, %error, "the last good state of a run is not kept");
    }
}
