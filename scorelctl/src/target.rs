//! Resolves the session and the project that a command works on.

use std::path::{Path, PathBuf};
use std::time::Duration;

use scorel_proto::{
    GetSession, GetSessionParams, ListProjects, ListSessions, ListSessionsParams,
    ListSessionsResult, NoParams, Project, Session, SessionId, SessionKind,
};
use tokio::time::timeout;

use crate::daemon::{DaemonClient, DaemonConnector};
use crate::failure::Failure;
use crate::id_part::{IdPart, ambiguous};
use crate::selector::SessionSelector;

/// The time limit for an answer for which a stream waits, or an answer to the user.
const PATIENCE: Duration = Duration::from_secs(2);

/// Resolves the selected session, which must exist: by default the latest of the project.
pub(crate) async fn existing(
    control: &mut DaemonClient,
    wanted: Option<&SessionSelector>,
    directory: Option<&Path>,
) -> Result<SessionId, Failure> {
    match wanted {
        None => {
            let directory = project_directory(control.link(), directory)?;
            latest(control, &directory).await?.ok_or_else(|| {
                let message = format!("no session in {}", directory.display());
                Failure::refused("session_not_found", message).hint(
                    "`scorelctl send` creates one; `scorelctl sessions --all` lists those of other projects",
                )
            })
        }
        Some(SessionSelector::New) => {
            Err(Failure::usage("`--session new` is only valid for `send`"))
        }
        Some(SessionSelector::Id(id)) => Ok(*id),
        Some(SessionSelector::Part(part)) => choose(part, &all_ids(control).await?),
    }
}

/// Resolves the selected session for a look at what it has given to agents: by default the project's orchestrator,
/// if there is one.
pub(crate) async fn giver(
    control: &mut DaemonClient,
    wanted: Option<&SessionSelector>,
    directory: Option<&Path>,
) -> Result<SessionId, Failure> {
    if wanted.is_none() {
        let project = project(control, &project_directory(control.link(), directory)?).await?;
        if let Some(id) = project.and_then(|project| project.orchestrator_session_id) {
            return Ok(id);
        }
    }
    existing(control, wanted, directory).await
}

/// The canonical path of the project directory: absolute, with symbolic links resolved, as the
/// daemon registers it. On another machine, the path as it is given.
pub(crate) fn project_directory(
    link: &DaemonConnector,
    named: Option<&Path>,
) -> Result<PathBuf, Failure> {
    if let Some(remote) = link.remote() {
        return directory_there(remote.name(), named);
    }
    let path = named.unwrap_or(Path::new("."));
    path.canonicalize()
        .map_err(|error| Failure::usage(format!("cannot use {}: {error}", path.display())))
}

fn directory_there(machine: &str, named: Option<&Path>) -> Result<PathBuf, Failure> {
    let Some(named) = named else {
        let message = format!(
            "name --session ID or --project DIR: the working directory is one of this machine, and not of {machine}"
        );
        let hint = format!(
            "`scorelctl --remote {machine} sessions` lists the sessions there, `scorelctl --remote {machine} \
             projects` the directories"
        );
        return Err(Failure::usage(message).hint(hint));
    };
    if named.is_relative() {
        let message = format!(
            "{} is relative: --project takes an absolute path of {machine}",
            named.display()
        );
        let hint = format!("`scorelctl --remote {machine} projects` lists the directories there");
        return Err(Failure::usage(message).hint(hint));
    }
    Ok(named.to_owned())
}

/// The project registered for a directory.
pub(crate) async fn project(
    control: &mut DaemonClient,
    directory: &Path,
) -> Result<Option<Project>, Failure> {
    let projects = control.call::<ListProjects>(&NoParams {}).await?.projects;
    let mut projects = projects.into_iter();
    Ok(projects.find(|project| Path::new(&project.work_dir) == directory))
}

/// The directory that a session works in.
pub(crate) async fn work_dir(
    control: &mut DaemonClient,
    session: &Session,
) -> Result<PathBuf, Failure> {
    if let Some(worktree) = session.worktree() {
        return Ok(PathBuf::from(&worktree.path));
    }
    let projects = control.call::<ListProjects>(&NoParams {}).await?.projects;
    let mut projects = projects.into_iter();
    let project = projects.find(|project| project.project_id == session.project_id);
    let gone = || {
        let message = format!("there is no project {}", session.project_id);
        Failure::refused("project_not_found", message)
    };
    Ok(project.ok_or_else(gone)?.work_dir.into())
}

/// The path as text, which is how the protocol has it.
pub(crate) fn utf8(directory: &Path) -> Result<&str, Failure> {
    directory.to_str().ok_or_else(|| {
        Failure::usage(format!(
            "the path {} is not valid UTF-8",
            directory.display()
        ))
    })
}

/// The latest session of a directory's project. Its orchestrator is one only if there is no other.
async fn latest(
    control: &mut DaemonClient,
    directory: &Path,
) -> Result<Option<SessionId>, Failure> {
    let Some(project) = project(control, directory).await? else {
        return Ok(None);
    };
    let latest = latest_of(control, &project, false).await?;
    let latest = latest.map(|session| session.session_id);
    Ok(latest.or(project.orchestrator_session_id))
}

/// The latest session of a project, among those a user created that are archived, or are not. A message to its
/// orchestrator must name it.
pub(crate) async fn latest_of(
    control: &mut DaemonClient,
    project: &Project,
    archived: bool,
) -> Result<Option<Session>, Failure> {
    let params = ListSessionsParams {
        project_id: Some(project.project_id),
        archived: Some(archived),
        kind: Some(SessionKind::User),
        limit: Some(2),
        ..ListSessionsParams::default()
    };
    let sessions = control.call::<ListSessions>(&params).await?.sessions;
    let mut sessions = sessions.into_iter();
    Ok(sessions.find(|session| Some(session.session_id) != project.orchestrator_session_id))
}

/// All pages of a listing as one.
pub(crate) async fn sessions(
    control: &mut DaemonClient,
    mut params: ListSessionsParams,
) -> Result<ListSessionsResult, Failure> {
    params.limit = Some(1000);
    let mut all = ListSessionsResult::default();
    loop {
        let page = control.call::<ListSessions>(&params).await?;
        all.sessions.extend(page.sessions);
        all.unreadable.extend(page.unreadable);
        match page.next_cursor {
            Some(cursor) => params.cursor = Some(cursor),
            None => return Ok(all),
        }
    }
}

pub(crate) async fn get(
    control: &mut DaemonClient,
    session_id: SessionId,
) -> Result<Session, Failure> {
    let params = GetSessionParams { session_id };
    Ok(control.call::<GetSession>(&params).await?.session)
}

/// As [`get`], for what is of use only now: `None` if there is no answer in time.
pub(crate) async fn get_now(control: &mut DaemonClient, session_id: SessionId) -> Option<Session> {
    timeout(PATIENCE, get(control, session_id)).await.ok()?.ok()
}

/// The ids of a listing, those of sessions that cannot be read included.
pub(crate) async fn ids(
    control: &mut DaemonClient,
    params: ListSessionsParams,
) -> Result<Vec<SessionId>, Failure> {
    let found = sessions(control, params).await?;
    let readable = found.sessions.iter().map(|session| session.session_id);
    let unreadable = found.unreadable.iter().map(|session| session.session_id);
    Ok(readable.chain(unreadable).collect())
}

/// Every session that is not deleted.
pub(crate) async fn all_ids(control: &mut DaemonClient) -> Result<Vec<SessionId>, Failure> {
    let mut all = Vec::new();
    for archived in [false, true] {
        let params = ListSessionsParams {
            archived: Some(archived),
            ..ListSessionsParams::default()
        };
        all.extend(ids(control, params).await?);
    }
    // A session archived between the two calls is in both.
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// The one session whose id begins or ends like this.
pub(crate) fn choose(part: &str, ids: &[SessionId]) -> Result<SessionId, Failure> {
    let wanted = IdPart::new(part, SessionId::PREFIX);
    let found: Vec<SessionId> = ids.iter().copied().filter(|id| wanted.is_of(id)).collect();
    match found[..] {
        [id] => Ok(id),
        [] => {
            let digits = |id: &SessionId| id.to_string().split_off(SessionId::PREFIX.len());
            let mut similar = ids.iter();
            let similar = similar.find(|id| differs_little(&digits(id), wanted.digits()));
            Err(unknown(part, similar))
        }
        _ => Err(ambiguous(part, &found)),
    }
}

fn unknown(part: &str, similar: Option<&SessionId>) -> Failure {
    let message = format!("no session has an id that begins or ends with `{part}`");
    let failure = Failure::refused("session_not_found", message);
    match similar {
        Some(id) => failure.hint(format!("did you mean {id}?")),
        None => failure.hint("`scorelctl sessions --all` lists the sessions"),
    }
}

/// Returns whether the part is probably a typo of the beginning or the end: of five characters or more, at most
/// two differ.
fn differs_little(digits: &str, wanted: &str) -> bool {
    let wrong = |part: &[u8]| {
        part.iter()
            .zip(wanted.bytes())
            .filter(|(a, b)| **a != *b)
            .count()
    };
    let digits = digits.as_bytes();
    let Some(rest) = digits.len().checked_sub(wanted.len()) else {
        return false;
    };
    wanted.len() > 4 && (wrong(digits) <= 2 || wrong(&digits[rest..]) <= 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    const A: &str = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    const B: &str = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAW";
    const C: &str = "ses_01BX5ZZKBKACTAV9WEVGEMMVRZ";

    fn ids() -> Vec<SessionId> {
        [A, B, C].map(|text| text.parse().expect("an id")).to_vec()
    }

    fn refused(prefix: &str) -> (Exit, String) {
        let Err(Failure::Report(report)) = choose(prefix, &ids()) else {
            panic!("{prefix} was accepted")
        };
        (report.exit, report.hint.expect("a hint"))
    }

    #[test]
    fn a_unique_beginning_or_end_is_enough_in_any_case_and_without_ses() {
        for part in [
            "ses_01BX",
            "01BX",
            "01bx5z",
            "MMVRZ",
            "…EMMVRZ",
            "ses_mvrz",
            C,
        ] {
            assert_eq!(choose(part, &ids()).expect(part).to_string(), C);
        }
        assert_eq!(refused("VRZ").0, Exit::NotAccepted, "too short for an end");
    }

    #[test]
    fn an_ambiguous_part_lists_the_candidates() {
        let (exit, hint) = refused("01ARZ");
        assert_eq!(exit, Exit::Usage);
        assert!(
            hint.contains(A) && hint.contains(B) && !hint.contains(C),
            "{hint}"
        );
    }

    #[test]
    fn many_candidates_are_counted() {
        let ids: Vec<SessionId> = (0..20).map(|_| SessionId::generate()).collect();
        let Err(Failure::Report(report)) = choose("0", &ids) else {
            panic!("accepted")
        };
        let hint = report.hint.expect("a hint");
        assert!(hint.ends_with("and 12 more"), "{hint}");
    }

    #[test]
    fn a_typo_suggests_the_session_that_was_meant() {
        let (exit, hint) = refused("01BX6ZZK");
        assert_eq!(exit, Exit::NotAccepted);
        assert_eq!(hint, format!("did you mean {C}?"));
        let (_, hint) = refused("MNVRZ");
        assert_eq!(hint, format!("did you mean {C}?"));
        let (_, hint) = refused("nonsense");
        assert!(hint.contains("sessions --all"), "{hint}");
    }
}
