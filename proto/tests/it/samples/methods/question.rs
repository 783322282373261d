use scorel_proto::{
    ClientId, ListQuestions, ListQuestionsParams, ListQuestionsResult, OpenQuestion,
    PermissionAnswer, PermissionConflict,
};

use super::{method, params_of, result_of};
use crate::golden::Golden;
use crate::samples::{ids, persistent};

pub(super) fn all() -> Vec<Golden> {
    let params = ListQuestionsParams {
        session_id: Some(ids::session()),
        limit: Some(1),
        cursor: Some(ids::request()),
    };
    let result = ListQuestionsResult {
        questions: vec![question()],
        next_cursor: Some(ids::request()),
    };
    let mut all = Vec::from(method::<ListQuestions>(&params, &result));
    all.push(params_of::<ListQuestions>(
        ".all",
        &ListQuestionsParams::default(),
    ));
    all.push(result_of::<ListQuestions>(
        ".none",
        &ListQuestionsResult::default(),
    ));
    let answered = PermissionConflict::Answered {
        answer: permission_answer(),
    };
    all.push(Golden::of("permission_conflict.answered", &answered));
    let not_open = PermissionConflict::NotOpen;
    all.push(Golden::of("permission_conflict.not_open", &not_open));
    all
}

pub(crate) fn question() -> OpenQuestion {
    OpenQuestion {
        session_id: ids::session(),
        project_id: ids::project(),
        title: Some("Build it".into()),
        agent_type: Some("reviewer".into()),
        parent_session_id: Some(ids::session()),
        asked_at: ids::TS,
        request: persistent::permission_request(),
    }
}

pub(crate) fn permission_answer() -> PermissionAnswer {
    PermissionAnswer {
        decision: persistent::permission_decision(),
        client_id: ClientId::Daemon,
        decided_at: ids::TS,
    }
}
