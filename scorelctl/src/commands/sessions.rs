use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use scorel_proto::{ListSessionsParams, ListSessionsResult, Phase, Session, UnreadableSession};

use crate::cli::Cli;
use crate::failure::Failure;
use crate::id_part::end_of;
use crate::target;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// Only sessions with these words in their title; `scorelctl search` searches the conversations
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// List the sessions of all projects
    #[arg(long, short, conflicts_with = "project")]
    pub(crate) all: bool,
    /// List archived sessions instead
    #[arg(long)]
    pub(crate) archived: bool,
    /// List deleted sessions that can be brought back instead
    #[arg(long, conflicts_with = "archived")]
    pub(crate) deleted: bool,
    /// Only sessions with a turn that has not ended
    #[arg(long, conflicts_with = "deleted")]
    pub(crate) running: bool,
}

pub(super) async fn run(args: &SessionsArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let mut answer = listed(args, cli).await?;
    if !args.query.is_empty() {
        answer.unreadable.clear();
        answer
            .sessions
            .retain(|session| has_words(session, &args.query));
    }
    if args.running {
        answer.unreadable.clear();
        answer.sessions.retain(is_running);
    }
    let now = SystemTime::now();
    cli.result(&answer, |output| {
        output.lines(answer.sessions.iter().map(|session| row(session, now)))?;
        output.lines(answer.unreadable.iter().map(unreadable_row))
    })?;
    if answer.sessions.is_empty() {
        cli.note(if !args.query.is_empty() {
            "no session has such a title; `scorelctl search` searches the conversations"
        } else if args.running {
            "no turn runs"
        } else if args.deleted {
            "no deleted sessions; `scorelctl sessions --deleted --all` lists those of all projects"
        } else if args.all {
            "no sessions yet; `scorelctl send` creates one"
        } else {
            "no sessions in this project; `scorelctl sessions --all` lists all"
        })?;
    }
    Ok(())
}

async fn listed(args: &SessionsArgs, cli: &mut Cli<'_>) -> Result<ListSessionsResult, Failure> {
    let mut params = ListSessionsParams {
        archived: (!args.deleted).then_some(args.archived),
        deleted: args.deleted.then_some(true),
        ..ListSessionsParams::default()
    };
    if !args.all && cli.has_project(args.project.as_deref()) {
        params.project_id = cli.project_id(args.project.as_deref()).await?;
        if params.project_id.is_none() {
            return Ok(ListSessionsResult::default());
        }
    }
    target::sessions(&mut cli.daemon, params).await
}

const fn is_running(session: &Session) -> bool {
    !matches!(session.phase, Phase::Idle | Phase::Failed)
}

/// Returns whether the title has all words, in any case.
fn has_words(session: &Session, words: &[String]) -> bool {
    let title = session.title.as_deref().unwrap_or_default().to_lowercase();
    words
        .iter()
        .all(|word| title.contains(&word.to_lowercase()))
}

fn row(session: &Session, now: SystemTime) -> String {
    let mut title = session.title.as_deref().map(one_line).unwrap_or_default();
    if let Some(agent) = &session.agent {
        title = format!("└ {}: {title}", one_line(&agent.agent_type));
    }
    let problem = session
        .problem
        .as_deref()
        .map(|text| format!("  ({})", one_line(text)));
    format!(
        "{}  {:<12}{:>8}  {title}{}",
        end_of(&session.session_id),
        phase(session.phase),
        age(session.deleted.map_or(session.updated_at, |it| it.at), now),
        problem.unwrap_or_default(),
    )
}

fn unreadable_row(session: &UnreadableSession) -> String {
    let UnreadableSession {
        session_id,
        problem,
    } = session;
    let phase = phase(Phase::Failed);
    format!(
        "{}  {phase:<12}{:>8}  ({})",
        end_of(session_id),
        "",
        one_line(problem)
    )
}

/// The phase in one word, for people; `--json` has the names of the protocol.
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

/// The time since `milliseconds` (since 1970), in the largest unit that fits.
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
    fn an_unreadable_session_shows_its_problem_in_place_of_its_title() {
        let row = unreadable_row(&UnreadableSession {
            session_id: "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            problem: "the log is\nno log".to_owned(),
        });
        let expected = "9G5FAV  failed                ";
        assert!(row.starts_with(expected), "{row}");
        assert!(row.ends_with(')') && !row.contains('\n'), "{row}");
    }

    #[test]
    fn an_age_is_shown_in_its_largest_unit() {
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
