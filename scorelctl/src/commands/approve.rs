//! Answering what tools ask.

use scorel_proto::{
    InFlight, PermissionDecision, PermissionRequestBody, PermissionRequestId, Phase,
    RespondPermission, RespondPermissionParams, Resync, ResyncParams, Session, SessionId,
};
use serde::Serialize;

use crate::args::ApproveArgs;
use crate::control::{Control, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
use crate::question::describe;
use crate::target;
use crate::wanted::Wanted;

/// How much of an id must be given: those that were made at about the same time begin alike, and an
/// answer must not go to a request that came in the meantime.
const MIN_PREFIX: usize = 14;

/// An open request and its session.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Open {
    session_id: SessionId,
    #[serde(flatten)]
    request: PermissionRequestBody,
}

/// Lists the open requests, or answers one.
pub(super) async fn run(
    args: &ApproveArgs,
    control: &mut Control,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let open = open(args, control).await?;
    let Some(wanted) = &args.request else {
        result(output, &open, |output| list(&open, output))?;
        return Ok(Exit::Success);
    };
    let chosen = choose(wanted, &open)?;
    let params = RespondPermissionParams {
        session_id: chosen.session_id,
        request_id: chosen.request.request_id,
        decision: decision(args),
        reason: args.reason.clone(),
        command_id: Some(new_command_id()),
    };
    let answer = control.call::<RespondPermission>(&params).await?;
    result(output, &answer, |output| {
        output.line(if params.decision.allows() {
            "allowed"
        } else {
            "refused"
        })
    })?;
    Ok(Exit::Success)
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

fn list(open: &[Open], output: &mut Output) -> std::io::Result<()> {
    if open.is_empty() {
        return output.line("nothing waits for permission");
    }
    for open in open {
        let (request, session) = (open.request.request_id, open.session_id);
        output.line(&format!("{request} in {session}"))?;
        for line in describe(&open.request) {
            output.line(&format!("  {line}"))?;
        }
    }
    Ok(())
}

/// The request whose id begins like that.
fn choose<'a>(wanted: &str, open: &'a [Open]) -> Result<&'a Open, Failure> {
    if wanted.trim_start_matches("prm_").len() < MIN_PREFIX {
        let text = format!("`{wanted}` is too short: at least {MIN_PREFIX} letters after `prm_`");
        return Err(Failure::usage(text).hint("`scorelctl approve` lists what is open"));
    }
    let begins = |id: PermissionRequestId| {
        let id = id.to_string();
        let bare = id.split_once('_').map_or("", |(_, bare)| bare).to_owned();
        [id, bare]
            .iter()
            .any(|id| id.to_lowercase().starts_with(&wanted.to_lowercase()))
    };
    let mut found = open.iter().filter(|open| begins(open.request.request_id));
    match (found.next(), found.next()) {
        (Some(open), None) => Ok(open),
        (Some(_), Some(_)) => Err(Failure::usage(format!(
            "more than one open request begins with `{wanted}`"
        ))),
        (None, _) => Err(Failure::new(
            Exit::NotAccepted,
            "not_open",
            format!(
                "no open request begins with `{wanted}`: it was answered, or its turn has ended"
            ),
        )
        .hint("`scorelctl approve` lists what is open")),
    }
}

/// What is open in the wanted session, or in all.
async fn open(args: &ApproveArgs, control: &mut Control) -> Result<Vec<Open>, Failure> {
    let sessions = match &args.session {
        Wanted::Latest => target::in_phase(control, Phase::AwaitingPermission).await?,
        wanted => {
            let id = target::existing(control, wanted, None).await?;
            vec![target::get(control, id).await?]
        }
    };
    let mut all = Vec::new();
    for session in sessions {
        let requests = requests(&session, control).await?;
        let session_id = session.session_id;
        let open = requests.into_iter().map(|request| Open {
            session_id,
            request,
        });
        all.extend(open);
    }
    Ok(all)
}

/// What is open in a session at this moment.
async fn requests(
    session: &Session,
    control: &mut Control,
) -> Result<Vec<PermissionRequestBody>, Failure> {
    let mut params = ResyncParams {
        session_id: session.session_id,
        persistent_last_seq: Some(session.last_persistent_seq),
        stream_last_seq: None,
        page: None,
    };
    loop {
        let page = control.call::<Resync>(&params).await?;
        if let Some(InFlight { permissions, .. }) = page.in_flight {
            return Ok(permissions);
        }
        match page.next_page {
            Some(next) => params.page = Some(next),
            None => return Ok(Vec::new()),
        }
    }
}
