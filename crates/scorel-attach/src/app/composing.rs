use scorel_client::new_command_id;
use scorel_proto::{
    Block, Cancel, CancelParams, Content, Method, QueueEdit, RewriteQueueParams, SessionView,
    WhileRunning,
};

use super::state::{App, LinkState, PendingSend};
use crate::call::Call;
use crate::effect::Effect;
use crate::jobs::{Outgoing, TypedCommand};
use crate::slash::{Submission, skill_message};

/// The most messages that are on their way at once.
const MAX_SENDS: usize = 32;

/// The longest text that fits into a request, with what JSON adds to it in the usual case.
const MAX_TEXT: usize = 8 * 1024 * 1024 - 64 * 1024;

impl App {
    /// Does what the composer says.
    pub(super) fn submit(&mut self, kind: WhileRunning, view: &SessionView) {
        self.completion = None;
        let text = self.composer.text();
        if self.editing.is_some() {
            return self.replace_queued(&text, view);
        }
        let facts = self.session.as_ref().map(|it| &it.facts);
        let skills = facts.map_or(&[][..], |it| &it.skills);
        let commands = facts.map_or(&[][..], |it| &it.commands);
        match Submission::of(&text, skills, commands) {
            Submission::Empty => {}
            Submission::Farewell => {
                self.composer.set("");
                self.note("not sent to the agent: Ctrl+D detaches, and the session stays; /archive puts it away");
                if self.setup.is_plain {
                    self.detach();
                }
            }
            Submission::Command(slash, argument) => {
                self.keep_in_history(&text);
                self.composer.take();
                self.slash(slash, &argument, view);
            }
            Submission::Unknown(name, meant) => {
                let meant = meant.map_or_else(
                    || "/help lists the commands".to_owned(),
                    |meant| format!("did you mean /{meant}?"),
                );
                self.hint(format!(
                    "there is no command /{name}, and nothing was sent: {meant}"
                ));
                self.drop_if_plain();
            }
            Submission::Unusable(name, why) => {
                self.hint(format!("the skill {name} cannot be used: {why}"));
                self.drop_if_plain();
            }
            Submission::Skill(name, argument) => {
                let message = skill_message(&name, &argument);
                self.send_text(&text, message, None, kind);
            }
            Submission::Run(command) => {
                self.send_text(&text, text.clone(), Some(command), kind);
            }
            Submission::Message(message) => self.send_text(&text, message, None, kind),
        }
    }

    /// A line that was typed is gone, unlike a text in a composer.
    fn drop_if_plain(&mut self) {
        if self.setup.is_plain {
            self.composer.set("");
        }
    }

    fn send_text(
        &mut self,
        typed: &str,
        message: String,
        command: Option<TypedCommand>,
        kind: WhileRunning,
    ) {
        let Some(session) = &self.session else {
            return self.hint("no session is open yet: Ctrl+X goes to one");
        };
        if session.facts.session.archived {
            return self.hint("the session is archived and takes no messages: /archive takes it out of the archive");
        }
        if let LinkState::Over(why) = &self.link {
            let why = why.clone();
            return self.hint(format!("not sent: {why}"));
        }
        if message.len() > MAX_TEXT {
            return self.hint("not sent: a message has at most 8 MiB; put the text into a file and name it with @");
        }
        if self.sends.len() >= MAX_SENDS {
            return self.hint("not sent: too many messages wait for the daemon already");
        }
        let session_id = session.facts.session.session_id;
        let command_id = new_command_id();
        let images = std::mem::take(&mut self.images);
        let images = images
            .into_iter()
            .filter(|image| message.contains(&image.label))
            .collect();
        self.keep_in_history(typed);
        self.composer.take();
        self.save_draft();
        self.sends.push(PendingSend {
            command_id: command_id.clone(),
            session_id,
            text: typed.to_owned(),
        });
        self.effect(Effect::Send(Box::new(Outgoing {
            session_id,
            text: message,
            dir: self.local_dir(),
            images,
            while_running: kind,
            command_id,
            command,
        })));
    }

    pub(super) fn keep_in_history(&mut self, text: &str) {
        // A history that cannot be written is kept for this run.
        let _ = self.history.add(text);
    }

    /// Puts a text that was not accepted back, before what has been typed since.
    pub(super) fn put_back(&mut self, text: &str) {
        let since = self.composer.text();
        match since.is_empty() {
            true => self.composer.set(text),
            false => self.composer.set(&format!("{text}\n\n{since}")),
        }
    }

    /// Cancels what runs, if it is still that.
    pub(super) fn cancel(&mut self, view: &SessionView) {
        let Some(session) = &mut self.session else {
            return;
        };
        let turn = view.state.turn_id();
        session.cancelling = turn;
        let params: <Cancel as Method>::Params = CancelParams {
            session_id: session.facts.session.session_id,
            expected_turn_id: turn,
            clear_queue: None,
            children: None,
            command_id: None,
        };
        self.call(Call::Cancel(Box::new(params)));
    }

    /// Puts the composer's text in place of a queued message.
    fn replace_queued(&mut self, text: &str, view: &SessionView) {
        let (Some(editing), Some(session_id)) = (&self.editing, self.session_id()) else {
            return;
        };
        if text.trim().is_empty() {
            return self.hint(
                "an empty text removes nothing: /queue removes a message; Esc leaves it as it was",
            );
        }
        let mut content = vec![Block::text(text)];
        content.extend(editing.kept.iter().cloned());
        let ops = vec![QueueEdit::Edit {
            queue_item_id: editing.id,
            content: Content(content),
        }];
        self.call(Call::RewriteQueue(Box::new(RewriteQueueParams {
            session_id,
            expected_version: view.state.queue.version,
            ops,
            command_id: Some(new_command_id()),
        })));
    }
}
