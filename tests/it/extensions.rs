//! Extensions with programs: the published examples, those of projects, broken manifests, programs that misbehave.

mod channels;
mod commands;
mod examples;
mod faults;
mod limits;
mod listening;
mod manifests;
mod points;
mod probe;
mod projects;
mod scene;
mod secrets;
mod settings;
mod state;
mod verbs;

pub(crate) use projects::session_elsewhere;
pub(crate) use scene::has;
