//! Hints for an agent, a command, a workflow or a runtime that is not found, and for an agent that takes no task.

use scorel_proto::{ErrorCode, RpcError, SpawnRefusal};
use serde::Deserialize;

use scorel_screen::escape::one_line;

pub(super) fn of(error: &RpcError) -> Option<String> {
    Some(match error.code {
        ErrorCode::AgentNotFound => match error.details["suggestion"].as_str() {
            Some(name) => format!("did you mean {}?", one_line(name)),
            None => "`scorelctl agents` lists the agents, `scorelctl agents set TYPE` adds one"
                .to_owned(),
        },
        ErrorCode::WorkflowNotFound => match error.details["suggestion"].as_str() {
            Some(name) => format!("did you mean {}?", one_line(name)),
            None => "`scorelctl workflow list` lists the packages of the user; those of a project need trust"
                .to_owned(),
        },
        ErrorCode::UnknownName if error.details["kind"] == "process" => {
            match error.details["suggestion"].as_str() {
                Some(name) => {
                    let id = name.split_once(':').map_or(name, |(_, id)| id);
                    format!("did you mean {}?", one_line(id))
                }
                None => "`scorelctl ext list` lists the extensions".to_owned(),
            }
        }
        ErrorCode::UnknownName if error.details["kind"] == "hook" => {
            let name = error.details["suggestion"].as_str()?;
            format!("did you mean {}?", one_line(name))
        }
        ErrorCode::UnknownName if error.details["kind"] == "MCP server" => {
            match error.details["suggestion"].as_str() {
                Some(name) => format!("did you mean {}?", one_line(name)),
                None => "`scorelctl mcp list` lists the servers".to_owned(),
            }
        }
        ErrorCode::UnknownName if error.details["kind"] == "schedule" => {
            match error.details["suggestion"].as_str() {
                Some(name) => format!("did you mean {}?", one_line(name)),
                None => "`scorelctl channels list` lists the schedules".to_owned(),
            }
        }
        ErrorCode::UnknownName => match error.details["suggestion"].as_str() {
            Some(name) => format!("did you mean /{}?", one_line(name)),
            None => "a text that begins with a slash is a message if a blank is in front of it"
                .to_owned(),
        },
        ErrorCode::AgentTaskNotFound => "`scorelctl runtimes --all` lists the runtimes".to_owned(),
        ErrorCode::SpawnRefused => {
            refusal(SpawnRefusal::deserialize(&error.details["kind"]).ok()?).to_owned()
        }
        _ => return None,
    })
}

const fn refusal(kind: SpawnRefusal) -> &'static str {
    match kind {
        SpawnRefusal::Disabled => "`scorelctl agents set TYPE --enable` lets the agent take tasks",
        SpawnRefusal::Depth => {
            "give the task from a session further up, with --parent; `[orchestrator] maxDepth` says how \
             deep tasks may be passed on"
        }
        SpawnRefusal::TooMany => {
            "wait until a runtime of the session has ended, or stop one: `scorelctl runtimes` lists them; \
             `[orchestrator] maxOpen` and `maxSpawnsPerTurn` are the limits"
        }
        SpawnRefusal::QueueFull => {
            "`scorelctl runtimes --status queued` lists what waits, `scorelctl agents quota TYPE N` lets \
             more run at once; `[orchestrator] maxQueued` is the limit"
        }
        SpawnRefusal::Budget => {
            "`scorelctl usage --by session` shows what was spent; `[orchestrator] maxCost` is the limit"
        }
        SpawnRefusal::Run => {
            "`[workflow] maxSpawns`, `maxRunTokens` and `maxRunCost` are the limits of a run with its agents"
        }
        SpawnRefusal::Archived => {
            "`scorelctl archive --undo --session ID` takes the session out of the archive"
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hint(code: ErrorCode, details: serde_json::Value) -> Option<String> {
        of(&RpcError::new(code, "no").with_details(details))
    }

    #[test]
    fn every_refusal_says_what_helps() {
        for (kind, part) in [
            ("disabled", "--enable"),
            ("depth", "maxDepth"),
            ("too_many", "maxOpen"),
            ("queue_full", "agents quota"),
            ("budget", "maxCost"),
            ("run", "maxSpawns"),
            ("archived", "archive --undo"),
        ] {
            let text = hint(ErrorCode::SpawnRefused, json!({"kind": kind})).expect(kind);
            assert!(text.contains(part), "{kind}: {text}");
        }
        let unknown = json!({"kind": "the_moon"});
        assert_eq!(hint(ErrorCode::SpawnRefused, unknown), None);
    }

    #[test]
    fn a_name_that_is_like_another_suggests_it() {
        let like = json!({"suggestion": "reviewer"});
        let text = hint(ErrorCode::AgentNotFound, like).expect("a hint");
        assert_eq!(text, "did you mean reviewer?");
        let text = hint(ErrorCode::AgentNotFound, json!({})).expect("a hint");
        assert!(text.contains("`scorelctl agents`"), "{text}");
        let process = json!({"kind": "process", "suggestion": "extension:notes"});
        let text = hint(ErrorCode::UnknownName, process).expect("a hint");
        assert_eq!(text, "did you mean notes?");
        let server = json!({"kind": "MCP server", "suggestion": "tickets"});
        let text = hint(ErrorCode::UnknownName, server).expect("a hint");
        assert_eq!(text, "did you mean tickets?");
        let workflow = json!({"suggestion": "notes"});
        let text = hint(ErrorCode::WorkflowNotFound, workflow).expect("a hint");
        assert_eq!(text, "did you mean notes?");
        assert!(hint(ErrorCode::AgentTaskNotFound, json!(null)).is_some());
        assert_eq!(hint(ErrorCode::Conflict, json!(null)), None);
    }
}
