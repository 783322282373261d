use scorel_client::{ClientError, StreamItem};
use scorel_proto::{
    Event, GetContextParams, Message, PersistentBody, PersistentEvent, Role, SessionView,
    SyncMarker, SyncMode, TransientBody,
};
use scorel_screen::{Line, Style};

use super::state::{App, LinkState, now_ms};
use crate::call::Call;
use crate::effect::Effect;

/// The most events that are kept of a turn while a session is loaded anew.
const MAX_RELOAD: usize = 2000;

impl App {
    /// Handles an item of the session's stream, which `view` includes already.
    pub(crate) fn stream_item(&mut self, item: StreamItem, view: &SessionView) {
        match item {
            StreamItem::Event(_, event) => self.event(event, view),
            StreamItem::Marker(marker) => self.marker(*marker),
            StreamItem::Reconnecting { error, .. } => self.lost(&error),
        }
    }

    /// The stream has ended: the session is gone, or `error` says why it cannot be followed.
    pub(crate) fn stream_end(&mut self, error: Option<&ClientError>) {
        let why = error.map_or_else(
            || "the session is deleted or has failed: Ctrl+X goes to another one".to_owned(),
            crate::wording::failure,
        );
        self.note(&why);
        self.link = LinkState::Over(why);
    }

    fn lost(&mut self, error: &ClientError) {
        let error = error.to_string();
        match &mut self.link {
            LinkState::Reconnecting { error: known, .. } => *known = error,
            link => {
                *link = LinkState::Reconnecting {
                    since: std::time::Instant::now(),
                    error,
                };
                if self.setup.is_plain {
                    self.note("the connection to the daemon is lost; trying again");
                }
            }
        }
    }

    fn is_connected(&mut self) {
        if matches!(self.link, LinkState::Reconnecting { .. }) && self.setup.is_plain {
            self.note("connected again");
        }
        self.link = LinkState::Live;
    }

    fn marker(&mut self, marker: SyncMarker) {
        match marker {
            SyncMarker::SyncStart { mode, .. } => {
                if mode == SyncMode::FullReload
                    && let Some(session) = &mut self.session
                {
                    session.reload = Some(Vec::new());
                }
            }
            SyncMarker::InFlight { in_flight, .. } => {
                self.show_reload();
                self.renderer.in_flight(&in_flight, &mut self.finished);
            }
            SyncMarker::SyncEnd { .. } => {
                self.show_reload();
                self.is_connected();
            }
            SyncMarker::End { .. } => {}
        }
    }

    /// Shows the last turn of a session that was loaded anew: the rest is above already.
    fn show_reload(&mut self) {
        let Some(events) = self
            .session
            .as_mut()
            .and_then(|session| session.reload.take())
        else {
            return;
        };
        // The first load is all that there is.
        if self
            .session
            .as_ref()
            .is_some_and(|session| session.has_shown)
        {
            self.note("the session was loaded anew; this is its last turn");
        }
        for event in &events {
            self.show_event(event);
        }
    }

    fn event(&mut self, event: Event, view: &SessionView) {
        self.link_is_live();
        if let Some(reload) = self
            .session
            .as_mut()
            .and_then(|session| session.reload.as_mut())
        {
            if begins_turn(&event) || reload.len() >= MAX_RELOAD {
                reload.clear();
            }
            if event.is_persistent() {
                reload.push(event);
            }
            return;
        }
        self.show_event(&event);
        self.follow(&event, view);
    }

    fn link_is_live(&mut self) {
        if !matches!(self.link, LinkState::Live | LinkState::Opening) {
            self.is_connected();
        }
    }

    /// Prints what an event finishes.
    pub(super) fn show_event(&mut self, event: &Event) {
        if let Some(session) = &mut self.session {
            session.has_shown |= event.is_persistent();
        }
        if self.setup.is_plain {
            self.say_role(event);
        }
        if let Event::Persistent(event) = event {
            self.keep_answer(event);
        }
        self.renderer.event(event, &mut self.finished);
    }

    /// Says who speaks, for those who see no signs.
    fn say_role(&mut self, event: &Event) {
        let said = match event {
            Event::Transient(event) => match &event.body {
                TransientBody::MessageStart(start) if start.role == Role::Assistant => {
                    Some("Agent:")
                }
                _ => None,
            },
            Event::Persistent(event) => match &event.body {
                PersistentBody::Message(body) => match &body.message {
                    Message::User(_) => Some("You:"),
                    Message::Assistant(_) if self.spoken != Some(event.id) => Some("Agent:"),
                    _ => None,
                },
                _ => None,
            },
            Event::Unknown(_) => None,
        };
        if let Event::Transient(event) = event
            && let TransientBody::MessageStart(start) = &event.body
        {
            self.spoken = Some(start.event_id);
        }
        if let Some(said) = said {
            self.renderer.flush(&mut self.finished);
            self.finished.push(Line::plain(said, Style::Note));
        }
    }

    fn keep_answer(&mut self, event: &PersistentEvent) {
        if let PersistentBody::Message(body) = &event.body
            && let Message::Assistant(message) = &body.message
            && let Some(session) = &mut self.session
        {
            let texts = message.content.iter().filter_map(|block| match block {
                scorel_proto::Block::Text { text, .. } => Some(text.as_str()),
                _ => None,
            });
            let text = texts.collect::<Vec<_>>().join("\n");
            if !text.is_empty() {
                session.answer = text;
            }
        }
    }

    /// An event's meaning besides what it prints.
    fn follow(&mut self, event: &Event, view: &SessionView) {
        let Some(session) = &mut self.session else {
            return;
        };
        let id = session.facts.session.session_id;
        match view.state.turn_id() {
            None => session.turn_since = None,
            Some(turn) if session.turn_since.is_some_and(|(known, _)| known == turn) => {}
            Some(turn) => session.turn_since = Some((turn, event.ts())),
        }
        let Event::Persistent(event) = event else {
            return;
        };
        match &event.body {
            PersistentBody::TurnOutcome(_) => {
                session.cancelling = None;
                if self.setup.is_plain {
                    self.note("the turn has ended");
                }
                if !self.has_focus {
                    self.effect(Effect::Bell);
                }
                self.ask_context();
            }
            PersistentBody::Rewind(body) => {
                self.effect(Effect::ShowLeaf(id, body.target_event_id));
            }
            PersistentBody::Branch(body) => {
                self.effect(Effect::ShowLeaf(id, Some(body.leaf_event_id)));
            }
            PersistentBody::SessionInfo(body) => {
                let known = &mut session.facts.session;
                let changes = &body.changes;
                if let Some(title) = &changes.title {
                    known.title = Some(title.clone());
                }
                if let Some(model) = &changes.model {
                    known.model = Some(model.clone());
                }
                known.thinking_level = changes.thinking_level.unwrap_or(known.thinking_level);
                known.archived = changes.archived.unwrap_or(known.archived);
            }
            PersistentBody::QueueUpdate(_) => self.queue_changed(view),
            _ => {}
        }
    }

    pub(super) fn ask_context(&mut self) {
        if let Some(session_id) = self.session_id() {
            self.call(Call::GetContext(Box::new(GetContextParams { session_id })));
        }
    }

    /// The time that the open turn has taken so far, in milliseconds.
    pub(crate) fn turn_ms(&self, view: &SessionView) -> Option<u64> {
        let turn = view.state.turn.as_ref()?;
        let begun = match turn.started_at {
            0 => self.session.as_ref()?.turn_since.map(|(_, since)| since)?,
            known => known,
        };
        Some(now_ms().saturating_sub(begun))
    }
}

fn begins_turn(event: &Event) -> bool {
    match event {
        Event::Persistent(event) => match &event.body {
            PersistentBody::Message(body) => {
                matches!(body.message, Message::User(_)) && body.queue_item_id.is_none()
            }
            _ => false,
        },
        _ => false,
    }
}
