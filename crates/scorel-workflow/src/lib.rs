//! Workflows as packages of the `.bmad` format, version 1.1: a graph of steps, agents, and texts.
//!
//! Pure: a caller gives the files ([`PackageFiles`]) and gets a [`Package`] or all that is wrong with it, and the
//! [`Plan`] of a workflow for those who start it. The state of a run is a [`RunDocument`], which a [`Guard`] lets change; from it
//! and the package come the texts that the model is told. Nothing here knows sessions.

mod agent;
mod brief;
mod current_run;
mod declared;
mod directive;
mod edge;
mod findings;
mod format;
mod graph;
mod guard;
mod guard_error;
mod inline;
mod limits;
mod manifest;
mod node;
mod output_path;
mod package;
mod package_files;
mod package_id;
mod package_path;
mod package_reader;
mod persona;
mod phase_after;
mod plan;
mod plan_text;
mod problem;
#[cfg(test)]
mod reference;
mod run_document;
mod run_intent;
mod run_state;
mod shape;
mod shown_policy;
mod state_update;
mod step;
mod transition;
mod user_input;

pub use agent::{
    Agent, AgentMetadata, AgentPersona, AgentPolicy, FilePolicy, Principles, ServerPolicy,
};
pub use brief::{MAX_LISTED, brief};
pub use current_run::CurrentRun;
pub use directive::directive;
pub use edge::Edge;
pub use graph::Graph;
pub use guard::{Guard, GuardedDocument, OutputCheck};
pub use guard_error::{AllowedWay, GuardError, RefusedTransition};
pub use inline::MAX_INLINE;
pub use limits::{MAX_EDGES, MAX_NODES, MAX_PACKAGE_BYTES, MAX_PACKAGE_FILES, MAX_TEXT_BYTES};
pub use manifest::{MANIFEST, Manifest};
pub use node::{Node, NodeKind};
pub use output_path::output_path;
pub use package::{Package, PackageReading, Workflow};
pub use package_files::{PackageFiles, PackageFilesError};
pub use package_id::{PackageId, PackageIdError};
pub use persona::persona;
pub use phase_after::{
    MAX_TURNS_AT_NODE, PhaseAfter, RunFault, RunTurnOutcome, RunWait, TurnEnd, phase_after,
};
pub use plan::Plan;
pub use problem::{Problem, ProblemCode};
pub use run_document::{MAX_DECISIONS, MAX_DOCUMENT_BYTES, RunDocument, RunDocumentError};
pub use run_intent::RunIntent;
pub use run_state::{BoundWorkflow, RunDecision, RunState};
pub use shown_policy::{ShownPolicy, run_rules};
pub use state_update::{Append, Set, StateUpdate};
pub use step::{DEFAULT_MAX_VISITS, StepSettings, StepTools, may_use};
pub use transition::Transition;
pub use user_input::user_input;
