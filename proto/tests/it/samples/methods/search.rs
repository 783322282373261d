use scorel_proto::{Role, Search, SearchHit, SearchMode, SearchParams, SearchResult};

use super::{method, params_of, result_of};
use crate::golden::Golden;
use crate::samples::ids;

pub(super) fn all() -> Vec<Golden> {
    let params = SearchParams {
        query: "\"last byte\" pars* -crlf".into(),
        mode: SearchMode::Words,
        project_id: Some(ids::project()),
        archived: Some(false),
        role: Some(Role::Assistant),
        since: Some(ids::TS),
        limit: Some(20),
        cursor: Some("words.3744502200000000002".into()),
    };
    let hit = SearchHit {
        session_id: ids::session(),
        title: Some("Fix the parser".into()),
        project_id: ids::project(),
        seq: ids::seq(7),
        event_id: ids::event(1),
        role: Some(Role::Assistant),
        ts: ids::TS,
        snippet: "The parser skips the last byte.".into(),
        ranges: vec![[4, 10], [21, 30]],
    };
    let title = SearchHit {
        seq: ids::seq(9),
        event_id: ids::event(2),
        role: None,
        snippet: "Fix the parser".into(),
        ranges: vec![[8, 14]],
        ..hit.clone()
    };
    let result = SearchResult {
        hits: vec![title, hit],
        behind_bytes: 4711,
        next_cursor: Some("words.3744502200000000001".into()),
    };
    let mut all = Vec::from(method::<Search>(&params, &result));
    all.push(params_of::<Search>(
        ".regex",
        &SearchParams {
            query: "E\\d{4}".into(),
            mode: SearchMode::Regex,
            ..SearchParams::default()
        },
    ));
    all.push(result_of::<Search>(".empty", &SearchResult::default()));
    all
}
