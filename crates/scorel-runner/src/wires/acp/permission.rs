//! Requests for permission, and the options they offer.

use std::collections::HashMap;
use std::path::Path;

use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome,
};
use scorel_engine::{RunnerAnswer, RunnerError, RunnerErrorKind, RunnerQuestion};
use serde_json::{Value, json};

use super::calls;

/// Questions that may be open at a time.
const MAX_OPEN: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Permissions {
    open: HashMap<String, OpenQuestion>,
}

#[derive(Debug)]
struct OpenQuestion {
    id: Value,
    yes: PermissionOption,
    no: Option<PermissionOption>,
}

impl Permissions {
    /// The question of a request; the refusal if no option holds once.
    ///
    /// # Errors
    /// Too many are open, or two under one id.
    pub(super) fn ask(
        &mut self,
        id: &Value,
        request: &RequestPermissionRequest,
        directory: &Path,
    ) -> Result<Result<RunnerQuestion, Value>, RunnerError> {
        let question = id.to_string();
        if self.open.len() >= MAX_OPEN || self.open.contains_key(&question) {
            let message = "the agent asks too many questions, or two under one id";
            return Err(RunnerError::new(RunnerErrorKind::Protocol, message));
        }
        let option = |kind| request.options.iter().find(|it| it.kind == kind).cloned();
        let no = option(PermissionOptionKind::RejectOnce);
        let Some(yes) = option(PermissionOptionKind::AllowOnce) else {
            return Ok(Err(refusal(no.as_ref())));
        };
        let (call, action) = calls::asked(&request.tool_call, directory);
        let id = id.clone();
        self.open
            .insert(question.clone(), OpenQuestion { id, yes, no });
        Ok(Ok(RunnerQuestion {
            id: question,
            call,
            action,
            reason: request.tool_call.fields.title.clone(),
        }))
    }

    /// The request, and its answer.
    pub(super) fn answer(
        &mut self,
        question: &str,
        answer: &RunnerAnswer,
    ) -> Option<(Value, Value)> {
        let open = self.open.remove(question)?;
        let result = match answer {
            RunnerAnswer::Once => selected(&open.yes),
            RunnerAnswer::No(_) => refusal(open.no.as_ref()),
        };
        Some((open.id, result))
    }

    /// The names of all open questions, their requests, and the answers to these.
    pub(super) fn cancel(&mut self) -> Vec<(String, Value, Value)> {
        let open = std::mem::take(&mut self.open).into_iter();
        open.map(|(question, open)| (question, open.id, refusal(None)))
            .collect()
    }
}

fn selected(option: &PermissionOption) -> Value {
    let chosen = SelectedPermissionOutcome::new(option.option_id.clone());
    json!(RequestPermissionResponse::new(
        RequestPermissionOutcome::Selected(chosen)
    ))
}

/// Where no option says no, the request is cancelled.
fn refusal(no: Option<&PermissionOption>) -> Value {
    let cancelled = || {
        json!(RequestPermissionResponse::new(
            RequestPermissionOutcome::Cancelled
        ))
    };
    no.map_or_else(cancelled, selected)
}
