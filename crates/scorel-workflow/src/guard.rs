//! The one way from a state of a run to the next: every change of a document is judged here before it is written.

use crate::guard_error::{AllowedWay, GuardError, RefusedTransition};
use crate::node::NodeKind;
use crate::output_path::output_path;
use crate::package::Workflow;
use crate::run_document::RunDocument;
use crate::run_state::RunState;
use crate::state_update::StateUpdate;
use crate::transition::Transition;

/// Judges changes of the documents of runs of a workflow.
#[derive(Debug, Clone, Copy)]
pub struct Guard<'a> {
    pub workflow: &'a Workflow,
    pub outputs: &'a dyn OutputCheck,
}

/// Looks at the files that nodes have to write.
pub trait OutputCheck: std::fmt::Debug + Send + Sync {
    /// Returns whether there is a file at a path, which begins with a mount, and it is not empty.
    fn is_written(&self, path: &str) -> bool;
}

/// A change of a document that is legal, and not written yet.
#[derive(Debug, Clone)]
pub struct GuardedDocument {
    pub document: RunDocument,
    pub transition: Transition,
}

impl Guard<'_> {
    /// The document with an update.
    ///
    /// # Errors
    /// The update is not legal in this state.
    pub fn update(
        &self,
        before: &RunDocument,
        update: &StateUpdate,
        now: &str,
    ) -> Result<GuardedDocument, GuardError> {
        let document = before.updated(update, now)?;
        let transition = self.judge(before.state(), document.state())?;
        Ok(GuardedDocument {
            document,
            transition,
        })
    }

    /// Another text in place of the document. It gets the time of the change.
    ///
    /// # Errors
    /// It is not the state of a run, or not one that may follow.
    pub fn replace(
        &self,
        before: &RunDocument,
        text: impl Into<String>,
        now: &str,
    ) -> Result<GuardedDocument, GuardError> {
        let after = RunDocument::parse(text)?;
        let transition = self.judge(before.state(), after.state())?;
        Ok(GuardedDocument {
            document: after.updated(&StateUpdate::default(), now)?,
            transition,
        })
    }

    fn judge(&self, before: &RunState, after: &RunState) -> Result<Transition, GuardError> {
        check_kept(before, after)?;
        check_grown(before, after)?;
        let graph = &self.workflow.graph;
        let (from, to) = (before.node_id(graph), after.node_id(graph));
        let completed = &after.steps_completed[before.steps_completed.len()..];
        if completed.is_empty() && from == to {
            return Ok(Transition::Stay);
        }
        let refuse = |reason: String| Err(self.refused(before, to, reason));
        let Some(node) = graph.node(from) else {
            return refuse(format!(
                "the workflow has no node `{from}`; a person has to say where the run goes on"
            ));
        };
        let has_way = graph.outgoing(from).any(|edge| edge.to == to);
        let ends = !has_way && from == to && node.kind == NodeKind::End;
        if !has_way && !ends {
            return refuse(match from == to {
                true => format!("`{from}` is completed by the update that goes on to another node"),
                false => format!("no edge leads from `{from}` to `{to}`"),
            });
        }
        if completed != [from] {
            return refuse(format!(
                "the update that leaves `{from}` appends it to `stepsCompleted`, and nothing else"
            ));
        }
        if ends && before.steps_completed.iter().any(|id| id == from) {
            return refuse(format!("the run has ended at `{from}`"));
        }
        if has_way && self.is_exhausted(before, to) {
            return refuse(format!("`{to}` was completed as often as it may be"));
        }
        let missing = self.missing(from);
        if !missing.is_empty() {
            let reason = format!(
                "`{from}` has to write {} first: a file that is not empty",
                missing.join(", ")
            );
            return Err(RefusedTransition {
                missing,
                ..self.refusal(before, to, reason)
            }
            .into());
        }
        Ok(match ends {
            true => Transition::End {
                node: from.to_owned(),
            },
            false => Transition::Move {
                from: from.to_owned(),
                to: to.to_owned(),
                label: self.label(before, after),
            },
        })
    }

    /// The label of the way that was taken: the only one, or the one that the new decisions name.
    fn label(&self, before: &RunState, after: &RunState) -> Option<String> {
        let graph = &self.workflow.graph;
        let (from, to) = (before.node_id(graph), after.node_id(graph));
        let ways: Vec<_> = graph.outgoing(from).filter(|it| it.to == to).collect();
        if let [way] = ways.as_slice() {
            return Some(way.label.clone());
        }
        let decided = &after.decision_log[before.decision_log.len()..];
        let labels = decided.iter().filter(|it| it.from == from && it.to == to);
        let mut labels = labels.map(|it| &it.label);
        labels
            .find(|label| ways.iter().any(|way| way.label == **label))
            .cloned()
    }

    /// True if a node was completed as often as it may be; the node that the run is at counts as completed.
    fn is_exhausted(&self, before: &RunState, id: &str) -> bool {
        let completed = before.steps_completed.iter().filter(|it| *it == id).count();
        let leaves = before.node_id(&self.workflow.graph) == id;
        let visits = completed as u64 + u64::from(leaves);
        self.workflow
            .step(id)
            .is_some_and(|step| visits >= step.max_visits)
    }

    fn missing(&self, id: &str) -> Vec<String> {
        let step = self.workflow.step(id).into_iter();
        let required = step.flat_map(|step| &step.required_outputs);
        required
            .map(|path| output_path(path))
            .filter(|path| !self.outputs.is_written(path))
            .collect()
    }

    fn refused(&self, before: &RunState, to: &str, reason: String) -> GuardError {
        self.refusal(before, to, reason).into()
    }

    fn refusal(&self, before: &RunState, to: &str, reason: String) -> RefusedTransition {
        let from = before.node_id(&self.workflow.graph);
        let ways = self.workflow.graph.outgoing(from);
        let open = ways.filter(|way| !self.is_exhausted(before, &way.to));
        RefusedTransition {
            from: from.to_owned(),
            to: to.to_owned(),
            allowed_next: open.map(AllowedWay::of).collect(),
            missing: Vec::new(),
            reason,
        }
    }
}

/// Fails if an update changes a field that says which run this is, or that is for a person to set.
fn check_kept(before: &RunState, after: &RunState) -> Result<(), GuardError> {
    let fields = [
        ("/runId", before.run_id == after.run_id),
        ("/projectId", before.project_id == after.project_id),
        ("/workflow", before.workflow == after.workflow),
        (
            "/activeAgentId",
            before.active_agent_id == after.active_agent_id,
        ),
        ("/autopilot", before.autopilot == after.autopilot),
    ];
    match fields.into_iter().find(|(_, is_kept)| !is_kept) {
        Some((pointer, _)) => Err(GuardError::schema(pointer, "it stays as it is")),
        None => Ok(()),
    }
}

fn check_grown(before: &RunState, after: &RunState) -> Result<(), GuardError> {
    let fields = [
        (
            "/stepsCompleted",
            after.steps_completed.starts_with(&before.steps_completed),
        ),
        (
            "/decisionLog",
            after.decision_log.starts_with(&before.decision_log),
        ),
        ("/artifacts", after.artifacts.starts_with(&before.artifacts)),
    ];
    match fields.into_iter().find(|(_, has_grown)| !has_grown) {
        Some((pointer, _)) => Err(GuardError::schema(
            pointer,
            "items are added at its end, and none is changed or removed",
        )),
        None => Ok(()),
    }
}
