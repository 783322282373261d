use scorel_client::new_command_id;
use scorel_proto::{GetEventsParams, OnConflict, RestoreOptions, RewindParams, Seq, SessionView};

use super::state::App;
use crate::call::Call;
use crate::effect::Effect;
use crate::jobs::RewindMessage;
use crate::picker::{Choice, Picker, PickerKind, PickerRow, RewindTarget};

impl App {
    /// Asks for the messages that the conversation can go back to.
    pub(super) fn list_messages(&mut self, view: &SessionView) {
        if view.state.has_job() {
            return self.hint("a turn runs: cancel it first (Esc Esc), then go back");
        }
        if let Some(id) = self.session_id() {
            self.effect(Effect::ListMessages(id));
        }
    }

    pub(super) fn choose_message(&mut self, messages: Vec<RewindMessage>) {
        if messages.is_empty() {
            return self.hint("there is no message to go back to");
        }
        let rows = messages.into_iter().map(|message| PickerRow {
            label: message.preview.clone(),
            detail: match message.files {
                0 => String::new(),
                1 => "1 file changed since".to_owned(),
                files => format!("{files} files changed since"),
            },
            choice: Choice::Rewind(RewindTarget {
                target: message.target,
                leaf: message.leaf,
                seq: message.seq,
                files: message.files,
            }),
        });
        let title = "Go back to before which message";
        self.open_picker(Picker::new(PickerKind::Rewind, title, rows.collect()));
    }

    /// Goes back, or asks about the files first.
    pub(super) fn rewind(&mut self, target: RewindTarget) {
        if target.files == 0 {
            return self.rewind_now(target, false);
        }
        let row = |label: &str, detail: String, choice| PickerRow {
            label: label.to_owned(),
            detail,
            choice,
        };
        let with = RewindTarget { files: 0, ..target };
        let rows = vec![
            row(
                "the conversation only",
                "files stay as they are".to_owned(),
                Choice::Rewind(with),
            ),
            row(
                "the conversation and the files",
                format!(
                    "{} changed; what others have changed since stays",
                    target.files
                ),
                Choice::RewindWithFiles(target),
            ),
        ];
        self.open_picker(Picker::new(PickerKind::Rewind, "What goes back", rows));
    }

    pub(super) fn rewind_now(&mut self, target: RewindTarget, files: bool) {
        let Some(session_id) = self.session_id() else {
            return;
        };
        let options = RestoreOptions {
            scope: None,
            on_conflict: Some(OnConflict::Skip),
        };
        self.call(Call::Rewind(Box::new(RewindParams {
            session_id,
            target_event_id: target.target,
            expected_leaf_id: target.leaf,
            restore_files: files.then_some(options),
            command_id: Some(new_command_id()),
        })));
        self.fetch_message(target);
    }

    /// Fetches the message that was gone back to before, to be edited.
    fn fetch_message(&mut self, target: RewindTarget) {
        let Some(session_id) = self.session_id() else {
            return;
        };
        let seq: Option<Seq> = target.seq;
        if let Some(seq) = seq {
            self.call(Call::GetEvents(Box::new(GetEventsParams {
                session_id,
                after_seq: Some(seq.previous()),
                before_seq: None,
                limit: Some(1),
                kinds: None,
            })));
        }
    }
}
