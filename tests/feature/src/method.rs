//! The method, and the event that it records.

use std::sync::Arc;

use schemars::JsonSchema;
use scorel_host::{Host, SessionCommand, session_method};
use scorel_proto::{AppendResult, CommandId, CustomBody, Method, PersistentBody, SessionId};
use scorel_rpc::{DuplicateMethod, Table};
use scorel_session::{
    EventDraft, Lane, Mutation, MutationCommand, ReceiptAnswer, Section, SessionError,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::pins::{KIND, Pins};

/// `pinFile`. A method of the product is a row of the table in `proto` instead.
#[derive(Debug)]
pub enum PinFile {}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PinFileParams {
    pub session_id: SessionId,
    /// The file, relative to the session's directory.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

impl Method for PinFile {
    const NAME: &'static str = "pinFile";
    type Params = PinFileParams;
    type Result = AppendResult;

    fn encode_params(params: &PinFileParams) -> serde_json::Result<Box<RawValue>> {
        to_raw_value(params)
    }

    fn encode_result(result: &AppendResult) -> serde_json::Result<Box<RawValue>> {
        to_raw_value(result)
    }

    fn decode_result(json: &RawValue) -> serde_json::Result<AppendResult> {
        serde_json::from_str(json.get())
    }
}

impl SessionCommand for PinFileParams {
    fn session_id(&self) -> SessionId {
        self.session_id
    }

    fn take_command_id(&mut self) -> Option<CommandId> {
        self.command_id.take()
    }
}

/// Adds `pinFile` to the daemon's methods.
///
/// # Errors
/// It has been added before.
pub fn register(table: &mut Table<Host>, pins: &Arc<Pins>) -> Result<(), DuplicateMethod> {
    let pins = Arc::clone(pins);
    session_method::<PinFile, _, _>(table, move |lane: Arc<Lane>, command, params| {
        let pins = Arc::clone(&pins);
        let path = params.path;
        async move {
            let pin = Pin {
                command,
                path,
                pins,
            };
            lane.mutate(pin).await
        }
    })
}

struct Pin {
    command: MutationCommand,
    path: String,
    pins: Arc<Pins>,
}

impl Mutation for Pin {
    type Reply = AppendResult;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<AppendResult> {
        match answer {
            ReceiptAnswer::Appended(answer) => Some(*answer),
            _ => None,
        }
    }

    fn apply(self, section: &mut Section<'_>) -> Result<AppendResult, SessionError> {
        let expected = self.pins.expect(section.lane());
        expected.map_err(|error| SessionError::Filesystem(error.to_string()))?;
        let body = PersistentBody::Custom(CustomBody {
            kind: KIND.to_owned(),
            data: json!({ "path": self.path }),
        });
        let event = section.commit(EventDraft::new(body).by(&self.command))?;
        Ok(AppendResult {
            event_id: event.id,
            seq: event.seq,
        })
    }
}
