use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, ConfigOptionUpdate, Cost,
    SessionConfigOption, SessionInfoUpdate, SessionUpdate, UnstructuredCommandInput, UsageUpdate,
};
use scorel_peer::Closed;
use scorel_proto::{
    GetContext, GetContextParams, GetSession, GetSessionParams, ListSkills, ListSkillsParams,
    Session, SkillState,
};

use crate::daemon::{Connector, Daemon};
use crate::editor::Editor;
use crate::failure::Failure;
use crate::v1::session::OpenSession;
use crate::v1::{list, options};
use crate::visible::one_line;

/// The micro-dollars of a dollar.
const MICRO: f64 = 1e6;

/// What the editor was told of a session beside its conversation.
#[derive(Debug)]
struct News<C> {
    session: Arc<OpenSession>,
    daemon: Daemon<C>,
    editor: Editor,
    options: Vec<SessionConfigOption>,
    commands: Vec<AvailableCommand>,
    title: Option<String>,
}

/// Tells usage, title, options and commands whenever they may have changed, until the session is closed. `options` are
/// those that the editor has.
pub(super) async fn tell<C: Connector>(
    session: Arc<OpenSession>,
    options: Vec<SessionConfigOption>,
    daemon: Daemon<C>,
    editor: Editor,
) {
    let mut news = News {
        session: Arc::clone(&session),
        daemon,
        editor,
        options,
        commands: Vec::new(),
        title: None,
    };
    loop {
        session.changed.notified().await;
        match news.tell_all().await {
            Ok(()) => {}
            Err(Closed) => return,
        }
    }
}

impl<C: Connector> News<C> {
    /// What the daemon does not tell now is told with the next change.
    async fn tell_all(&mut self) -> Result<(), Closed> {
        for update in self.updates().await.unwrap_or_default() {
            self.editor.update(self.session.id, update).await?;
        }
        Ok(())
    }

    async fn updates(&mut self) -> Result<Vec<SessionUpdate>, Failure> {
        let session_id = self.session.id;
        let params = GetSessionParams { session_id };
        let session = self.daemon.call::<GetSession>(&params).await?.session;
        let mut updates = Vec::new();
        updates.extend(self.new_title(&session));
        updates.extend(self.usage(&session).await.ok());
        updates.extend(self.new_commands(&session).await?);
        let options = options::of(&session, &self.daemon).await?;
        if options != self.options {
            self.options.clone_from(&options);
            let update = ConfigOptionUpdate::new(options);
            updates.push(SessionUpdate::ConfigOptionUpdate(update));
        }
        Ok(updates)
    }

    fn new_title(&mut self, session: &Session) -> Option<SessionUpdate> {
        let title = session.title.as_deref().map(one_line);
        if title == self.title {
            return None;
        }
        self.title.clone_from(&title);
        let update = SessionInfoUpdate::new().title(title);
        let update = update.updated_at(list::moment(session.updated_at));
        Some(SessionUpdate::SessionInfoUpdate(update))
    }

    async fn usage(&self, session: &Session) -> Result<SessionUpdate, Failure> {
        let session_id = self.session.id;
        let params = GetContextParams { session_id };
        let context = self.daemon.call::<GetContext>(&params).await?;
        #[expect(
            clippy::cast_precision_loss,
            reason = "an amount in dollars for people, which the protocol has as a float"
        )]
        let dollars = session.cost.micro_usd as f64 / MICRO;
        let update = UsageUpdate::new(context.tokens, context.context_window);
        let update = update.cost(Cost::new(dollars, "USD"));
        Ok(SessionUpdate::UsageUpdate(update))
    }

    async fn new_commands(&mut self, session: &Session) -> Result<Option<SessionUpdate>, Failure> {
        let params = ListSkillsParams {
            project_id: Some(session.project_id),
        };
        let skills = self.daemon.call::<ListSkills>(&params).await?.skills;
        let usable = skills
            .iter()
            .filter(|skill| skill.state == SkillState::Available);
        let commands: Vec<_> = usable
            .map(|skill| {
                let hint = UnstructuredCommandInput::new("what to do with it");
                AvailableCommand::new(skill.name.clone(), one_line(&skill.description))
                    .input(AvailableCommandInput::Unstructured(hint))
            })
            .collect();
        if commands == self.commands {
            return Ok(None);
        }
        self.commands.clone_from(&commands);
        let update = AvailableCommandsUpdate::new(commands);
        Ok(Some(SessionUpdate::AvailableCommandsUpdate(update)))
    }
}
