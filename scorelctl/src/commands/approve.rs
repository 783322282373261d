//! Lists and answers permission requests.

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use scorel_proto::{
    ListQuestions, ListQuestionsParams, OpenQuestion, PermissionDecision, PermissionRequestId,
    RespondPermission, RespondPermissionParams,
};

use crate::cli::Cli;
use crate::daemon::{DaemonClient, new_command_id};
use crate::failure::Failure;
use crate::id_part::{IdPart, end_of};
use crate::output::Output;
use crate::question::describe;
use crate::selector::SessionSelector;
use crate::target;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// Request id, or its beginning or end
    #[arg(value_name = "REQUEST", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) request: Option<String>,
    /// Only this session: an id, or its beginning or end [default: all sessions]
    #[arg(long, short, value_name = "ID|PART")]
    pub(crate) session: Option<SessionSelector>,
    /// Allow the call, and similar ones for the rest of the session
    #[arg(long, requires = "request", conflicts_with_all = ["always", "deny"])]
    pub(crate) for_session: bool,
    /// Allow the call, and similar ones in this project from now on
    #[arg(long, requires = "request", conflicts_with = "deny")]
    pub(crate) always: bool,
    /// Deny the request
    #[arg(long, requires = "request")]
    pub(crate) deny: bool,
    /// Reason, recorded in the log; with --deny it is passed on to the model
    #[arg(long, value_name = "TEXT", requires = "request")]
    pub(crate) reason: Option<String>,
}

/// The minimum length of an id's prefix, without `prm_`. The first ten digits of a ULID are its time, so a
/// shorter prefix could match a request that was made in the meantime.
const MIN_PREFIX: usize = 14;

pub(super) async fn run(args: &ApproveArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let open = open(args, &mut cli.daemon).await?;
    let Some(wanted) = &args.request else {
        cli.output.results(&open, |output| list(&open, output))?;
        return Ok(());
    };
    let chosen = choose(wanted, &open)?;
    let params = RespondPermissionParams {
        session_id: chosen.session_id,
        request_id: chosen.request.request_id,
        decision: decision(args),
        reason: args.reason.clone(),
        command_id: Some(new_command_id()),
    };
    let answered = match params.decision.allows() {
        true => "allowed",
        false => "denied",
    };
    cli.tell::<RespondPermission>(&params, |_| answered.to_owned())
        .await
}

const fn decision(args: &ApproveArgs) -> PermissionDecision {
    if args.deny {
        PermissionDecision::Deny
    } else if args.always {
        PermissionDecision::Always
    } else if args.for_session {
        PermissionDecision::Session
    } else {
        PermissionDecision::Once
    }
}

fn list(open: &[OpenQuestion], output: &mut Output) -> std::io::Result<()> {
    if open.is_empty() {
        return output.line("no open permission requests");
    }
    for open in open {
        let (request, session) = (open.request.request_id, open.session_id);
        let agent = open.agent_type.as_deref().map(one_line);
        let agent = agent.map_or_else(String::new, |agent| format!(", agent {agent}"));
        let (request, session) = (end_of(&request), end_of(&session));
        output.line(&format!("{request} in {session}{agent}"))?;
        for line in describe(&open.request) {
            output.line(&format!("  {line}"))?;
        }
    }
    Ok(())
}

/// The one open request whose id has this beginning or end.
fn choose<'a>(wanted: &str, open: &'a [OpenQuestion]) -> Result<&'a OpenQuestion, Failure> {
    let part = IdPart::new(wanted, PermissionRequestId::PREFIX);
    let is_short = part.digits().len() < MIN_PREFIX;
    let id = |open: &OpenQuestion| open.request.request_id;
    if is_short && open.iter().any(|open| part.begins(&id(open))) {
        let text = format!(
            "`{wanted}` is too short for the beginning of an id: at least {MIN_PREFIX} characters after `prm_` are required"
        );
        return Err(Failure::usage(text)
            .hint("the end of an id, as `scorelctl approve` lists it, is enough"));
    }
    let mut found = open.iter().filter(|open| part.is_of(&id(open)));
    match (found.next(), found.next()) {
        (Some(open), None) => Ok(open),
        (Some(_), Some(_)) => Err(Failure::usage(format!(
            "`{wanted}` is ambiguous: more than one open request has an id like this"
        ))),
        (None, _) => Err(Failure::refused("not_open",
            format!(
                "no open request has an id that begins or ends with `{wanted}`: it was answered, or its turn has ended"
            ),
        )
        .hint("`scorelctl approve` lists the open requests")),
    }
}

/// The open requests of the selected session and of what it has given to agents, or of all sessions.
async fn open(
    args: &ApproveArgs,
    control: &mut DaemonClient,
) -> Result<Vec<OpenQuestion>, Failure> {
    let session_id = match &args.session {
        None => None,
        wanted => Some(target::existing(control, wanted.as_ref(), None).await?),
    };
    let mut params = ListQuestionsParams {
        session_id,
        ..ListQuestionsParams::default()
    };
    let mut all = Vec::new();
    loop {
        let page = control.call::<ListQuestions>(&params).await?;
        all.extend(page.questions);
        if page.next_cursor.is_none() {
            return Ok(all);
        }
        params.cursor = page.next_cursor;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(id: &str) -> OpenQuestion {
        let question = json!({
            "sessionId": "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "projectId": "prj_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "askedAt": 1, "requestId": id, "toolCallId": "c", "toolName": "Bash", "input": {},
            "reason": "r",
        });
        serde_json::from_value(question).expect("a question")
    }

    #[test]
    fn a_request_is_named_by_its_end_or_by_more_than_the_time_at_its_beginning() {
        let ids = [
            "prm_01M8AC2VY1C14MFGXCKSG2QS1Q",
            "prm_01M8AC2VY2C14MFGXCKSG2QS2Q",
        ];
        let open = ids.map(asked);
        let chosen = |wanted| choose(wanted, &open).map(|it| it.request.request_id.to_string());
        assert_eq!(chosen("G2QS1Q").ok().as_deref(), Some(ids[0]));
        assert_eq!(chosen("prm_01m8ac2vy2c14m").ok().as_deref(), Some(ids[1]));
        for wanted in ["01M8AC", "prm_01M8AC2VY1C14", "S3Q", "G2QS3Q"] {
            assert!(chosen(wanted).is_err(), "{wanted}");
        }
    }
}
