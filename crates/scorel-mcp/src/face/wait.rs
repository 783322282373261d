//! Waiting for the end of a turn.

use std::time::Duration;

use schemars::JsonSchema;
use scorel_client::{Connect, SessionStream, StreamItem};
use scorel_proto::{
    Event, GetEvents, GetEventsParams, GetTurn, GetTurnParams, Phase, Seq, Session, SessionId,
    SyncMarker, TransientBody, TurnId, TurnStatus, TurnSummary,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::answers::open_questions;
use crate::answering::Answering;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::outcome::{Outcome, beginning_of};

pub(super) const WAIT: &str = "\
Waits until a turn is over and returns its answer. Returns earlier when the time is over; the turn goes on then, and \
may be waited for again.";

/// Clients end calls that take a minute.
const LONGEST: Duration = Duration::from_secs(50);

const USUAL: Duration = Duration::from_secs(30);

/// Of an answer, in bytes of the result.
const MAX_OUTPUT: usize = 32 * 1024;

/// Of the reason for a failure, in bytes of the result.
const MAX_ERROR: usize = 4 * 1024;

/// The records in which the last turn is looked for.
const RECENT: u32 = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WaitArguments {
    /// The session.
    session_id: SessionId,
    /// The turn, from send_message. Absent: until nothing runs and no message waits.
    turn_id: Option<TurnId>,
    /// The longest wait, in seconds: 0 to 50. Absent: 30.
    #[schemars(range(min = 0, max = 50))]
    timeout_seconds: Option<u64>,
}

/// The end of a wait.
struct Waited {
    session: Session,
    turn_id: Option<TurnId>,
    is_over: bool,
}

pub(super) async fn wait<C: Connect + Clone>(
    daemon: &Daemon<C>,
    arguments: WaitArguments,
    answering: Answering,
) -> Outcome {
    let seconds = arguments.timeout_seconds;
    let limit = seconds.map_or(USUAL, Duration::from_secs);
    if limit > LONGEST {
        let text = format!("`timeoutSeconds` is at most {}", LONGEST.as_secs());
        return Err(Failure::invalid(text).help("call wait_turn again to wait longer"));
    }
    let deadline = Instant::now() + limit;
    let waited = until(daemon, &arguments, answering, deadline).await?;
    let turn = match waited.turn_id {
        Some(turn_id) => Some(turn_of(daemon, arguments.session_id, turn_id).await?),
        None => None,
    };
    let questions = match asks(&waited.session) {
        true => {
            open_questions(daemon, Some(arguments.session_id), None)
                .await?
                .0
        }
        false => Vec::new(),
    };
    Ok(described(&waited, turn, questions).into())
}

async fn until<C: Connect + Clone>(
    daemon: &Daemon<C>,
    arguments: &WaitArguments,
    answering: Answering,
    deadline: Instant,
) -> Result<Waited, Failure> {
    let mut session = daemon.session(arguments.session_id).await?;
    let mut turn_id = arguments.turn_id;
    let mut stream = None;
    loop {
        if arguments.turn_id.is_none() {
            turn_id = session.turn_id.or(turn_id);
        }
        let is_over = match arguments.turn_id {
            Some(turn_id) => {
                session.turn_id != Some(turn_id) && has_ended(daemon, &session, turn_id).await?
            }
            None => is_idle(&session),
        };
        // A client that may answer has to know of the question; any other can only go on waiting.
        let is_asked = asks(&session) && answering == Answering::Client;
        if is_over || is_asked || Instant::now() >= deadline {
            let turn_id = match turn_id {
                None => last_turn(daemon, &session).await?,
                known => known,
            };
            return Ok(Waited {
                session,
                turn_id,
                is_over,
            });
        }
        let changes = match &mut stream {
            Some(open) => open,
            None => stream.insert(daemon.follow(&session).await?),
        };
        // The time is over, or the session has changed: both are seen above.
        let _changed = timeout_at(deadline, next_change(changes)).await;
        session = daemon.session(arguments.session_id).await?;
    }
}

/// Returns once an event may have changed what is waited for.
async fn next_change<C: Connect>(stream: &mut SessionStream<C>) -> Result<(), Failure> {
    while let Some(item) = stream.next().await? {
        let is_change = match &item {
            StreamItem::Event(_, Event::Persistent(_)) => true,
            StreamItem::Event(_, Event::Transient(event)) => {
                matches!(
                    event.body,
                    TransientBody::TurnEnd(_) | TransientBody::RuntimeEnd(_)
                )
            }
            StreamItem::Marker(marker) => matches!(**marker, SyncMarker::SyncEnd { .. }),
            StreamItem::Event(..) | StreamItem::Reconnecting { .. } => false,
        };
        // Once for all that has come.
        if is_change && !stream.is_ready() {
            return Ok(());
        }
    }
    Ok(())
}

fn is_idle(session: &Session) -> bool {
    let rests = matches!(session.phase, Phase::Idle | Phase::Failed);
    rests && (session.queue.is_empty() || session.queue_paused)
}

fn asks(session: &Session) -> bool {
    session.phase == Phase::AwaitingPermission || !session.child_questions.is_empty()
}

async fn has_ended<C: Connect + Clone>(
    daemon: &Daemon<C>,
    session: &Session,
    turn_id: TurnId,
) -> Result<bool, Failure> {
    let turn = turn_of(daemon, session.session_id, turn_id).await?;
    Ok(turn.status != TurnStatus::Running)
}

async fn turn_of<C: Connect + Clone>(
    daemon: &Daemon<C>,
    session_id: SessionId,
    turn_id: TurnId,
) -> Result<TurnSummary, Failure> {
    let params = GetTurnParams {
        session_id,
        turn_id,
    };
    daemon.call::<GetTurn>(&params).await
}

/// The last turn that the newest records tell of.
async fn last_turn<C: Connect + Clone>(
    daemon: &Daemon<C>,
    session: &Session,
) -> Result<Option<TurnId>, Failure> {
    let params = GetEventsParams {
        session_id: session.session_id,
        after_seq: None,
        before_seq: Some(Seq::MAX),
        limit: Some(RECENT),
        kinds: None,
    };
    let page = daemon.call::<GetEvents>(&params).await?;
    let decoded = page
        .events
        .iter()
        .rev()
        .filter_map(|event| event.decode().ok());
    let mut turns = decoded.filter_map(|event| match event {
        Event::Persistent(event) => event.turn_id,
        _ => None,
    });
    Ok(turns.next())
}

fn described(waited: &Waited, turn: Option<TurnSummary>, questions: Vec<Value>) -> Value {
    let session = &waited.session;
    let mut result = json!({
        "isOver": waited.is_over,
        "phase": session.phase,
        "turnId": waited.turn_id,
        "queued": session.queue.len(),
    });
    if let Some(turn) = turn {
        result["status"] = json!(turn.status);
        let output = turn.output.unwrap_or_default();
        let shown = beginning_of(&output, MAX_OUTPUT);
        result["output"] = shown.into();
        if shown.len() < output.len() {
            result["outputBytes"] = output.len().into();
            result["help"] = "read_events has the rest".into();
        }
        if let Some(error) = turn.error_message {
            result["error"] = beginning_of(&error, MAX_ERROR).into();
        }
    }
    if !questions.is_empty() {
        result["questions"] = questions.into();
    }
    result
}
