use std::time::Instant;

use scorel_client::ClientError;
use scorel_proto::{
    AgentTaskStatus, ErrorCode, Event, HostEvent, Message, PermissionConflict, PersistentBody,
    RpcError, SendMessageResult, SessionView,
};

use super::state::{App, CurrentSession, Done, LinkState, Mode};
use crate::call::{Answer, Call};
use crate::composer::History;
use crate::effect::Effect;
use crate::host_state::HostNews;
use crate::jobs::{HostFeedItem, SentMessage, SessionFacts};
use crate::wording::failure;

impl App {
    pub(super) fn host_item(&mut self, item: HostFeedItem, now: Instant) {
        let HostFeedItem::Event(event) = item else {
            self.host.is_live = false;
            return;
        };
        self.follow_runtime(&event);
        let own: Vec<_> = self
            .own_questions()
            .iter()
            .map(|it| it.request.request_id)
            .collect();
        match self.host.apply(*event) {
            HostNews::None | HostNews::Opened => {}
            HostNews::MoreQuestions(cursor) => self.ask_questions(cursor),
            HostNews::Closed(id, answer) => {
                self.question_closed(id, answer.as_ref(), own.contains(&id), now);
            }
            HostNews::Session(session) => {
                if let Some(current) = &mut self.session
                    && current.facts.session.session_id == session.session_id
                {
                    current.facts.session = *session;
                }
            }
            HostNews::Said(text) => self.note(&text),
        }
    }

    /// An agent's session that is shown has ended its task: says so.
    fn follow_runtime(&mut self, event: &HostEvent) {
        let HostEvent::AgentTaskChanged { runtime, .. } = event else {
            self.binding_changed(event);
            return;
        };
        if AgentTaskStatus::is_final(runtime.status) && runtime.session_id == self.session_id() {
            let title = &runtime.title;
            self.note(&format!(
                "the task “{title}” has ended; its session stays to be read"
            ));
        }
        self.binding_changed(event);
    }

    fn ask_questions(&mut self, cursor: scorel_proto::PermissionRequestId) {
        self.call(Call::ListQuestions(Box::new(
            scorel_proto::ListQuestionsParams {
                session_id: None,
                limit: Some(200),
                cursor: Some(cursor),
            },
        )));
    }

    pub(super) fn done(&mut self, done: Done, view: &SessionView, now: Instant) {
        match done {
            Done::Answer(answer) => self.answered(answer, view, now),
            Done::Sent(sent) => self.sent(sent),
            Done::Opened(facts) => self.opened(*facts),
            Done::NotOpened(error) => {
                self.note(&format!(
                    "the session cannot be opened: {}",
                    failure(&error)
                ));
                if self.session.is_none() {
                    self.link =
                        LinkState::Over("no session is open: Ctrl+X goes to one".to_owned());
                }
            }
            Done::Leaf(id, events) => self.leaf(id, events),
            Done::Messages(id, messages) => match messages {
                Ok(messages) if Some(id) == self.session_id() => self.choose_message(messages),
                Ok(_) => {}
                Err(error) => self.note(&failure(&error)),
            },
            Done::Ran(Ok(text), true) if text.is_empty() => self.hint("there is nothing to show"),
            Done::Ran(Ok(text), true) => self.effect(Effect::Page(text, None)),
            Done::Ran(Ok(text), false) => self.note(&text),
            Done::Ran(Err(text), _) => self.note(&text),
        }
    }

    fn opened(&mut self, facts: SessionFacts) {
        self.save_draft();
        self.mode = Mode::Composing;
        self.completion = None;
        self.editing = None;
        self.card.must_be_drawn();
        let session = &facts.session;
        let id = session.session_id;
        let project = session.project_id.to_string();
        self.history = History::load(self.setup.state_dir.clone(), &project);
        // Only what is left of an earlier attempt, or another session's draft, is replaced.
        let draft = self.drafts.load(&id.to_string());
        // Text typed before the first session was there belongs to it.
        let typed =
            Some(self.composer.text()).filter(|text| self.session.is_none() && !text.is_empty());
        self.composer.set("");
        if let Some(draft) = draft {
            self.composer.restore(draft);
        }
        self.saved_draft = self.composer.version();
        if let Some(typed) = typed {
            let _ = self.composer.paste(&typed);
        }
        let title = session.title.as_deref().unwrap_or("new session");
        let end = super::keys::id_end(id);
        let head = format!("{title} ({end}) in {}", facts.work_dir.display());
        let (archived, problem) = (session.archived, session.problem.clone());
        self.renew_renderer();
        self.note(&head);
        let events = facts.window.events.len();
        if facts.window.has_more {
            self.note("earlier messages: Ctrl+O shows all");
        }
        self.link = LinkState::Live;
        let mut facts = facts;
        let shown = std::mem::take(&mut facts.window.events);
        self.session = Some(CurrentSession {
            facts,
            context: None,
            cancelling: None,
            turn_since: None,
            reload: None,
            has_shown: false,
            answer: String::new(),
        });
        shown.iter().for_each(|event| self.show_event(event));
        if archived {
            self.note(
                "this session is archived: it can be read; /archive takes it out of the archive",
            );
        }
        if let Some(problem) = problem {
            self.note(&problem);
        }
        if events == 0 && self.setup.is_plain {
            self.note("Type a message and Enter. /help lists the commands; the end of the input detaches.");
        }
        self.ask_context();
    }

    fn leaf(&mut self, id: scorel_proto::SessionId, events: Result<Vec<Event>, ClientError>) {
        if Some(id) != self.session_id() {
            return;
        }
        match events {
            Ok(events) => events.iter().for_each(|event| self.show_event(event)),
            Err(error) => self.note(&failure(&error)),
        }
    }

    fn sent(&mut self, sent: SentMessage) {
        let place = self
            .sends
            .iter()
            .position(|send| send.command_id == sent.command_id);
        let Some(pending) = place.map(|place| self.sends.remove(place)) else {
            return;
        };
        match sent.result {
            Ok(answer) => {
                if !sent.attached.is_empty() {
                    self.note(&format!("attached: {}", sent.attached.join(", ")));
                }
                if let Some(reply) = &answer.reply {
                    self.note(reply);
                }
                let is_queued = matches!(answer.message, Some(SendMessageResult::Queued { .. }));
                self.accepted = answer.message.map(|answer| match answer {
                    SendMessageResult::Accepted { seq, .. }
                    | SendMessageResult::Queued { seq, .. } => (pending.session_id, seq),
                });
                if self.setup.is_plain && is_queued {
                    self.note("queued: it waits for the running turn; /queue changes it");
                }
            }
            Err(error) => {
                let text = match &error {
                    crate::jobs::SendError::Client(error) => failure(error),
                    other => other.to_string(),
                };
                self.note(&format!("not sent: {text}"));
                if Some(pending.session_id) == self.session_id() {
                    self.put_back(&pending.text);
                }
            }
        }
    }

    fn answered(&mut self, answer: Answer, view: &SessionView, now: Instant) {
        match answer {
            Answer::GetContext(params, Ok(context)) => {
                if let Some(session) = &mut self.session
                    && session.facts.session.session_id == params.session_id
                {
                    session.context = Some(*context);
                }
            }
            Answer::FindFiles(params, found) => self.files_found(&params, found.map(|it| *it)),
            // It is about the future, and a session without a model has none.
            Answer::GetContext(_, Err(_)) => {}
            Answer::ListQuestions(Ok(page)) => {
                let next = page.next_cursor;
                self.host.opened(page.questions);
                if let Some(cursor) = next {
                    self.ask_questions(cursor);
                }
            }
            Answer::RespondPermission(params, result) => {
                self.responded(params.request_id, result.map(drop), now);
            }
            Answer::Cancel(Ok(result)) => {
                if !result.cancelled {
                    self.not_cancelling();
                    self.hint("nothing was cancelled: it had ended already");
                }
            }
            Answer::Cancel(Err(error)) => {
                self.not_cancelling();
                self.hint(failure(&error));
            }
            Answer::RewriteQueue(params, result) => {
                self.queue_rewritten(&params, result.map(drop), view);
            }
            Answer::CreateSession(Ok(created)) => self.effect(Effect::Open(created.session_id)),
            Answer::UpdateSession(Ok(changed)) => self.session_changed(changed.session),
            Answer::ArchiveSession(Ok(changed)) => {
                let text = match changed.session.archived {
                    true => {
                        "archived: lists leave it out, and it takes no messages; /archive takes it out again"
                    }
                    false => "taken out of the archive",
                };
                self.session_changed(changed.session);
                self.hint(text);
            }
            Answer::Compact(Ok(_)) => self.hint("the older part is being summarised"),
            Answer::ListSessions(params, Ok(page)) => {
                self.listed(params.project_id.is_none(), page.sessions);
            }
            Answer::ListModels(Ok(models)) => self.choose_model(*models),
            Answer::GetStatus(Ok(status)) => self.say_status(&status, view),
            Answer::Rewind(Ok(moved)) => {
                if let Some(files) = moved.files {
                    let failed = files.failed.len();
                    self.note(&format!(
                        "{} files have their earlier state, {failed} could not be changed",
                        files.restored
                    ));
                }
            }
            Answer::GetEvents(Ok(page)) => {
                self.earlier_message(page.events.iter().filter_map(|it| it.decode().ok()));
            }
            Answer::ListQuestions(Err(error))
            | Answer::CreateSession(Err(error))
            | Answer::UpdateSession(Err(error))
            | Answer::ArchiveSession(Err(error))
            | Answer::Compact(Err(error))
            | Answer::ListSessions(_, Err(error))
            | Answer::ListModels(Err(error))
            | Answer::GetStatus(Err(error))
            | Answer::Rewind(Err(error))
            | Answer::GetEvents(Err(error)) => self.note(&failure(&error)),
        }
    }

    fn not_cancelling(&mut self) {
        if let Some(session) = &mut self.session {
            session.cancelling = None;
        }
    }

    fn session_changed(&mut self, session: scorel_proto::Session) {
        if let Some(current) = &mut self.session
            && current.facts.session.session_id == session.session_id
        {
            current.facts.session = session;
        }
    }

    fn responded(
        &mut self,
        id: scorel_proto::PermissionRequestId,
        result: Result<(), ClientError>,
        now: Instant,
    ) {
        // Another question may have the card, and the keys, by now.
        let is_shown = self.last_shown == Some(id);
        match result {
            Ok(()) => {
                self.card.closed(id, is_shown, now);
                self.host.closed(id);
            }
            Err(ClientError::Rpc(error)) if error.code == ErrorCode::Conflict => {
                self.too_late(id, &error);
                self.card.closed(id, is_shown, now);
                self.host.closed(id);
            }
            Err(error) => {
                self.card.not_sent(id);
                self.note(&format!("the answer was not accepted: {}", failure(&error)));
            }
        }
    }

    fn too_late(&mut self, id: scorel_proto::PermissionRequestId, error: &RpcError) {
        let text = match serde_json::from_value(error.details.clone()) {
            Ok(PermissionConflict::Answered { answer }) => self.answered_elsewhere(&answer),
            _ => "too late: the question is not open any more".to_owned(),
        };
        // The feed may have told it already.
        if self.told.replace(id) != Some(id) {
            self.note(&text);
        }
    }

    /// The message that was gone back to before: it can be edited and sent again.
    fn earlier_message(&mut self, events: impl Iterator<Item = Event>) {
        for event in events {
            let Event::Persistent(event) = event else {
                continue;
            };
            if let PersistentBody::Message(body) = event.body
                && let Message::User(message) = body.message
                && self.composer.is_empty()
            {
                let texts = message.content.into_iter().filter_map(|block| match block {
                    scorel_proto::Block::Text { text, .. } => Some(text),
                    _ => None,
                });
                self.composer.set(&texts.collect::<Vec<_>>().join("\n"));
            }
        }
    }
}
