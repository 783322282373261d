use std::time::{Duration, SystemTime, UNIX_EPOCH};

use scorel_proto::{ListSessionsParams, ListSessionsResult, Phase, Session};

use crate::args::SessionsArgs;
use crate::control::Control;
use crate::escape::one_line;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
use crate::target;

/// Lists sessions.
pub(super) async fn run(
    args: &SessionsArgs,
    control: &mut Control,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let sessions = listed(args, control).await?;
    let answer = ListSessionsResult {
        sessions,
        next_cursor: None,
    };
    let now = SystemTime::now();
    result(output, &answer, |output| {
        let mut sessions = answer.sessions.iter();
        sessions.try_for_each(|session| output.line(&row(session, now)))
    })?;
    if answer.sessions.is_empty() {
        output.note(if args.all {
            "there is no session yet; `scorelctl send` begins one"
        } else {
            "there is no session here; `scorelctl sessions --all` lists those elsewhere"
        })?;
    }
    Ok(Exit::Success)
}

async fn listed(args: &SessionsArgs, control: &mut Control) -> Result<Vec<Session>, Failure> {
    let mut params = ListSessionsParams {
        archived: Some(args.archived),
        ..ListSessionsParams::default()
    };
    if !args.all {
        let directory = target::project_directory(args.project.as_deref())?;
        match target::project(control, &directory).await? {
            Some(project) => params.project_id = Some(project.project_id),
            None => return Ok(Vec::new()),
        }
    }
    target::sessions(control, params).await
}

fn row(session: &Session, now: SystemTime) -> String {
    let title = session.title.as_deref().map(one_line).unwrap_or_default();
    let problem = session
        .problem
        .as_deref()
        .map(|text| format!("  ({})", one_line(text)));
    format!(
        "{}  {:<12}{:>8}  {title}{}",
        session.session_id,
        phase(session.phase),
        age(session.updated_at, now),
        problem.unwrap_or_default(),
    )
}

/// The phase in one word, as on the wire.
pub(super) const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Idle => "idle",
        Phase::Preparing => "preparing",
        Phase::Running => "running",
        Phase::AwaitingPermission => "asking",
        Phase::Waiting => "waiting",
        Phase::Cancelling => "cancelling",
        Phase::Failed => "failed",
    }
}

/// How long ago something was, in the largest unit that fits.
pub(super) fn age(milliseconds: u64, now: SystemTime) -> String {
    let then = UNIX_EPOCH + Duration::from_millis(milliseconds);
    let seconds = now.duration_since(then).unwrap_or_default().as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        for (seconds, expected) in [
            (1_000_005, "0s"),
            (999_941, "59s"),
            (999_940, "1m"),
            (996_400, "1h"),
            (0, "11d"),
        ] {
            assert_eq!(age(seconds * 1000, now), expected);
        }
    }
}
