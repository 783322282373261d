//! Extensions with programs: the published examples, those of projects, broken manifests, programs that misbehave.

mod examples;
mod faults;
mod limits;
mod manifests;
mod probe;
mod projects;
mod scene;
mod settings;
mod verbs;
