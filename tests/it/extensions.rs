//! Extensions with programs: the published examples, broken manifests, programs that misbehave.

mod examples;
mod faults;
mod manifests;
mod scene;
