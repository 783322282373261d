use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    AvailableCommandsUpdate, ConfigOptionUpdate, Cost, SessionInfoUpdate, SessionUpdate,
    ToolCallStatus, ToolCallUpdateFields, UsageUpdate,
};
use scorel_client::{ClientError, Connect, SessionStream, StreamItem};
use scorel_peer::Closed;
use scorel_proto::{
    EndReason, Event, GetContext, GetContextParams, GetSession, GetSessionParams,
    PermissionDecision, PermissionDecisionBody, PermissionRequestBody, PersistentBody,
    PersistentEvent, Seq, SessionInfoBody, SyncMarker,
};
use tokio::time::Instant;

use super::commands;
use super::note::note;
use super::open_session::OpenSession;
use super::path::ActivePath;
use super::prompt::left;
use super::questions::Questions;
use super::transcript::Transcript;
use crate::daemon::Daemon;
use crate::editor::Editor;
use crate::failure::Failure;
use crate::visible::one_line;

/// A daemon that is away for longer is told to those who wait for it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Editors show what follows as the answer to the prompt that they have sent last.
const WAITS: &str = "[this prompt waits in the queue of the session]\n\n";

/// Tells the editor what happens in a session, by this client or another.
#[derive(Debug)]
pub(crate) struct Follower<C> {
    daemon: Daemon<C>,
    editor: Editor,
    session: Arc<OpenSession>,
    stream: SessionStream<C>,
    transcript: Transcript,
    questions: Questions<C>,
    /// Of a replay that is under way.
    path: Option<ActivePath>,
    down_since: Option<Instant>,
    /// The daemon was stopped, and stays so until the editor asks for something.
    is_stopped: bool,
}

impl<C: Connect + Clone + Send + Sync + 'static> Follower<C> {
    /// Follows a session that the editor shows up to `floor`.
    pub(crate) fn new(
        daemon: &Daemon<C>,
        editor: &Editor,
        session: &Arc<OpenSession>,
        stream: SessionStream<C>,
        floor: Seq,
    ) -> Self {
        let questions = Questions::new(daemon.clone(), editor.clone(), Arc::clone(session));
        Self {
            daemon: daemon.clone(),
            editor: editor.clone(),
            session: Arc::clone(session),
            stream,
            transcript: Transcript::new(session.work_dir.clone(), floor),
            questions,
            path: None,
            down_since: None,
            is_stopped: false,
        }
    }

    /// Reads until it has caught up. A `path` is replayed, with what belongs to no branch.
    ///
    /// # Errors
    /// The session or the editor is gone.
    pub(crate) async fn catch_up(&mut self, path: Option<ActivePath>) -> Result<(), Failure> {
        self.path = path;
        loop {
            let item = self.stream.next().await?.ok_or_else(left)?;
            let is_end = matches!(&item, StreamItem::Marker(marker) if is_end(marker));
            self.take(item, false).await.map_err(|Closed| left())?;
            if is_end {
                self.path = None;
                return Ok(());
            }
        }
    }

    /// Follows until the session or the editor is gone, and says why it ends.
    pub(crate) async fn run(mut self) -> Failure {
        match self.follow().await {
            Err(error) => error.into(),
            Ok(()) => left(),
        }
    }

    async fn follow(&mut self) -> Result<(), ClientError> {
        if self.begin().await.is_err() {
            return Ok(());
        }
        while let Some(item) = self.stream.next().await? {
            if self.take(item, true).await.is_err() {
                break;
            }
        }
        Ok(())
    }

    /// The first updates of a session that an editor has just opened.
    async fn begin(&mut self) -> Result<(), Closed> {
        self.tell_commands().await?;
        // The stream knows only what came since it began.
        let params = GetSessionParams {
            session_id: self.session.id,
        };
        if let Ok(known) = self.daemon.call::<GetSession>(&params).await {
            if let Some(title) = &known.session.title {
                self.tell_title(title).await?;
            }
            if known.session.active_leaf_id.is_some() {
                self.tell_usage().await?;
            }
        }
        let open = self.stream.view().state.permissions.clone();
        self.ask_all(&open).await
    }

    async fn take(&mut self, item: StreamItem, is_live: bool) -> Result<(), Closed> {
        match item {
            StreamItem::Event(_, Event::Persistent(event)) => {
                self.down_since = None;
                self.record(&event, is_live).await
            }
            StreamItem::Event(_, Event::Transient(event)) => {
                let updates = self.transcript.progress(&event);
                self.tell(updates).await
            }
            StreamItem::Event(_, Event::Unknown(_)) => Ok(()),
            StreamItem::Marker(marker) => {
                self.down_since = None;
                match *marker {
                    SyncMarker::SyncStart { .. } => {
                        self.is_stopped = false;
                        Ok(())
                    }
                    SyncMarker::End { reason, .. } => {
                        self.is_stopped = reason == EndReason::ShuttingDown;
                        Ok(())
                    }
                    SyncMarker::InFlight { in_flight, .. } => {
                        self.session.prompts().open_turn(in_flight.turn_id);
                        let updates = self.transcript.in_flight(&in_flight);
                        self.tell(updates).await?;
                        self.questions.keep(&in_flight.permissions).await?;
                        if is_live {
                            self.ask_all(&in_flight.permissions).await?;
                        }
                        Ok(())
                    }
                    _ => Ok(()),
                }
            }
            StreamItem::Reconnecting { error, .. } => {
                let since = *self.down_since.get_or_insert_with(Instant::now);
                if since.elapsed() > PATIENCE {
                    self.session.prompts().lose(&error.into());
                }
                let waits = self.session.prompts().has_any();
                if waits && !self.is_stopped {
                    self.daemon.wake().await;
                }
                Ok(())
            }
        }
    }

    async fn record(&mut self, event: &PersistentEvent, is_live: bool) -> Result<(), Closed> {
        if !self.transcript.is_new(event) {
            return Ok(());
        }
        let observed = self.session.prompts().observe(event);
        // A cancel may wait for what the record tells.
        if self.session.prompts().cancel_step().is_some() {
            self.session.cancels.notify_one();
        }
        if self
            .path
            .as_ref()
            .is_some_and(|path| path.leaves_out(event))
        {
            return Ok(());
        }
        let is_own = is_live && (observed.is_prompt || !observed.endings.is_empty());
        let updates = self.transcript.record(event, is_own);
        self.tell(updates).await?;
        match &event.body {
            PersistentBody::PermissionRequest(request) if is_live => self.ask(request).await?,
            PersistentBody::PermissionDecision(decision) => self.decided(decision).await?,
            PersistentBody::SessionInfo(body) if is_live => self.changed(body).await?,
            PersistentBody::TurnOutcome(_) if is_live => self.tell_usage().await?,
            _ => {}
        }
        if observed.waits && is_live {
            self.tell(vec![note(WAITS)]).await?;
        }
        for ending in observed.endings {
            ending.tell();
        }
        Ok(())
    }

    async fn ask_all(&mut self, open: &[PermissionRequestBody]) -> Result<(), Closed> {
        for request in open {
            self.ask(request).await?;
        }
        Ok(())
    }

    async fn ask(&mut self, request: &PermissionRequestBody) -> Result<(), Closed> {
        let call = &request.tool_call_id;
        let (name, input) = (&request.tool_name, &request.input);
        let updates = self.transcript.ensure_call(call, name, input);
        self.tell(updates).await?;
        let call_id = self.transcript.call_id(call);
        let call = call.clone();
        self.questions.ask(request, call_id, call);
        Ok(())
    }

    async fn decided(&mut self, decision: &PermissionDecisionBody) -> Result<(), Closed> {
        let Some(call) = self.questions.decided(decision.request_id).await? else {
            return Ok(());
        };
        // The result of the call says that.
        if decision.decision == PermissionDecision::Cancelled {
            return Ok(());
        }
        let status = match decision.decision.allows() {
            true => ToolCallStatus::InProgress,
            false => ToolCallStatus::Failed,
        };
        let text = format!("{} elsewhere", decision.decision.text());
        let fields = ToolCallUpdateFields::new();
        let fields = fields.status(status).content(vec![text.into()]);
        let updates = self.transcript.call_update(&call, fields);
        self.tell(updates).await
    }

    async fn changed(&mut self, body: &SessionInfoBody) -> Result<(), Closed> {
        if let Some(title) = &body.changes.title {
            self.tell_title(title).await?;
        }
        let session = Arc::clone(&self.session);
        let mut settings = session.settings.lock().await;
        if !settings.change(&body.changes) {
            return Ok(());
        }
        let options = settings.options(&self.daemon, session.project_id).await;
        if let Ok(options) = options {
            let update = ConfigOptionUpdate::new(options);
            let update = SessionUpdate::ConfigOptionUpdate(update);
            return self.editor.update(session.id, update).await;
        }
        Ok(())
    }

    async fn tell_title(&self, title: &str) -> Result<(), Closed> {
        let update = SessionInfoUpdate::new().title(one_line(title));
        let update = SessionUpdate::SessionInfoUpdate(update);
        self.editor.update(self.session.id, update).await
    }

    /// The commands of plugins, and skills.
    async fn tell_commands(&self) -> Result<(), Closed> {
        let Some(commands) = commands::offered(&self.daemon, &self.session).await else {
            return Ok(());
        };
        let update = AvailableCommandsUpdate::new(commands);
        let update = SessionUpdate::AvailableCommandsUpdate(update);
        self.editor.update(self.session.id, update).await
    }

    /// The use of the model's window, and the session's cost.
    async fn tell_usage(&self) -> Result<(), Closed> {
        let session_id = self.session.id;
        let (context, known) = (
            GetContextParams { session_id },
            GetSessionParams { session_id },
        );
        let answers = tokio::try_join!(
            self.daemon.call::<GetContext>(&context),
            self.daemon.call::<GetSession>(&known)
        );
        // Without a model there is no window.
        let Ok((context, known)) = answers else {
            return Ok(());
        };
        let spent = known.session.cost.micro_usd;
        #[expect(clippy::cast_precision_loss, reason = "a sum of money, for display")]
        let cost = (spent > 0).then(|| Cost::new(spent as f64 / 1e6, "USD"));
        let update = UsageUpdate::new(context.tokens, context.context_window).cost(cost);
        let update = SessionUpdate::UsageUpdate(update);
        self.editor.update(self.session.id, update).await
    }

    async fn tell(&self, updates: Vec<SessionUpdate>) -> Result<(), Closed> {
        for update in updates {
            self.editor.update(self.session.id, update).await?;
        }
        Ok(())
    }
}

const fn is_end(marker: &SyncMarker) -> bool {
    matches!(marker, SyncMarker::SyncEnd { .. })
}
