mod runner_log;
mod todo;

use std::collections::HashSet;

use scorel_proto::{
    CompactionState, Event, EventId, GetEvents, GetEventsParams, GetTree, GetTreeParams,
    PersistentBody, Phase, Seq, SessionId, TreeEntry, TurnId,
};

use crate::args::{ShowArgs, TargetArgs};
use crate::daemon::DaemonClient;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::question::child_question;
use crate::render::{AsideStream, Screen, Transcript};
use crate::target;

use super::stall::stall_text;
use todo::TodoList;

/// The maximum number of lines of a tool result.
const RESULT_LINES: usize = 20;

/// Prints the conversation from the root to the active leaf, and the to-do list.
pub(super) async fn run(
    args: &ShowArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let session_id = {
        let TargetArgs { session, project } = &args.target;
        target::existing(control, session, project.as_deref()).await?
    };
    let mut conversation = ActivePath::of(control, session_id).await?;
    let mut transcript = Transcript::new(Screen::new(AsideStream::Output, RESULT_LINES), true);
    let mut todo = TodoList::default();
    let mut after = Seq::ZERO;
    let mut wait = None;
    loop {
        let params = GetEventsParams {
            session_id,
            after_seq: Some(after),
            before_seq: None,
            limit: Some(1000),
        };
        let page = control.call::<GetEvents>(&params).await?;
        for encoded in &page.events {
            let event = encoded
                .decode()
                .map_err(|error| Failure::no_event(&error))?;
            after = after.max(event.seq());
            if !conversation.has(&event) {
                if event.type_name() == "turn_waiting" {
                    wait = Some(event);
                }
                continue;
            }
            if output.json {
                output.raw_line(encoded.text())?;
                continue;
            }
            transcript.event(&event, output)?;
            if args.logs {
                let shown = (&mut transcript, &mut *output);
                runner_log::show(&event, session_id, control, shown).await?;
            }
            todo = TodoList::of(&event).unwrap_or(todo);
        }
        if !page.more || page.events.is_empty() {
            break;
        }
    }
    if let Some(text) = todo.text() {
        transcript.note(&text, output)?;
    }
    if !output.json {
        let session = target::get(control, session_id).await?;
        if let Some(wait) = wait.filter(|_| session.phase == Phase::Waiting) {
            transcript.event(&wait, output)?;
        }
        match (session.problem, session.storage_stalled) {
            (Some(problem), Some(stall)) => {
                transcript.note(&stall_text(&problem, &stall), output)?;
            }
            (Some(problem), None) => transcript.note(&problem, output)?,
            (None, _) => {}
        }
        for question in &session.child_questions {
            transcript.note(&child_question(question), output)?;
        }
    }
    Ok(Exit::Success)
}

/// Selects the events of the active path.
struct ActivePath {
    path: HashSet<EventId>,
    /// The turns on the path. What ran them and how they ended is not part of the tree; it is shown with
    /// them.
    turns: HashSet<TurnId>,
}

impl ActivePath {
    /// Reads the structure of the tree only: all events together may not fit into memory.
    async fn of(control: &mut DaemonClient, session_id: SessionId) -> Result<Self, Failure> {
        let mut nodes: Vec<TreeEntry> = Vec::new();
        let leaf = loop {
            let params = GetTreeParams {
                session_id,
                after_seq: nodes.last().map(|node| node.seq),
                limit: Some(10_000),
                previews: None,
            };
            let page = control.call::<GetTree>(&params).await?;
            let done = !page.more || page.nodes.is_empty();
            nodes.extend(page.nodes);
            if done {
                break page.active_leaf_id;
            }
        };
        Ok(Self {
            path: path(&nodes, leaf),
            turns: HashSet::new(),
        })
    }

    fn has(&mut self, event: &Event) -> bool {
        let id = match event {
            Event::Persistent(event) => Some(event.id),
            Event::Unknown(event) => event.id,
            Event::Transient(_) => None,
        };
        if id.is_some_and(|id| self.path.contains(&id)) {
            self.turns.extend(event.turn_id());
            return true;
        }
        let of_path = |turn| self.turns.contains(&turn);
        is_about_turn(event) && event.turn_id().is_some_and(of_path)
    }
}

/// Whether the event says how a turn ended, a compaction in it that left no summary, or which runner ran it.
fn is_about_turn(event: &Event) -> bool {
    match event {
        Event::Persistent(event) => match &event.body {
            PersistentBody::Compaction(body) => body.state != CompactionState::Started,
            body => matches!(
                body,
                PersistentBody::TurnOutcome(_)
                    | PersistentBody::RunnerStart(_)
                    | PersistentBody::RunnerContext(_)
                    | PersistentBody::RunnerExit(_)
            ),
        },
        other => other.type_name() == "turn_outcome",
    }
}

/// The leaf and its ancestors. A parent precedes its children, so one backward pass finds them all.
fn path(nodes: &[TreeEntry], leaf: Option<EventId>) -> HashSet<EventId> {
    let mut path = HashSet::new();
    let mut next = leaf;
    for node in nodes.iter().rev() {
        if next == Some(node.id) {
            path.insert(node.id);
            next = node.parent_id;
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_leaves_other_branches_out() {
        let ids: Vec<EventId> = (0..5).map(|_| EventId::generate()).collect();
        let parents = [None, Some(0), Some(1), Some(0), Some(3)];
        let nodes: Vec<TreeEntry> = (1..)
            .zip(&ids)
            .zip(parents)
            .map(|((seq, id), parent): ((u64, _), Option<usize>)| TreeEntry {
                id: *id,
                parent_id: parent.map(|parent| ids[parent]),
                seq: Seq::new(seq).expect("a seq"),
                turn_end: false,
                turn_id: None,
                user_event_id: None,
                preview: None,
                outcome: None,
                file_changes: None,
            })
            .collect();
        assert_eq!(
            path(&nodes, Some(ids[4])),
            HashSet::from([ids[0], ids[3], ids[4]])
        );
        assert_eq!(path(&nodes, None), HashSet::new());
    }
}
