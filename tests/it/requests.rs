//! What the endpoints of the four wires are sent: golden requests of everything that steers a
//! conversation, and the prefix that a request shares with the one before.
//!
//! The goldens are in `tests/golden/requests`; its README says how to read them.

mod cancels;
mod compactions;
mod goldens;
mod guidance;
mod lines;
mod normalised;
mod prefix;
mod read_request;
mod restarts;
mod scene;
mod steers;
mod steps;
mod travels;
mod wire_model;

pub(crate) use goldens::long_golden;
pub(crate) use read_request::ReadRequest;
pub(crate) use scene::{Scene, in_time, reached};

/// A golden without a scenario would never be compared.
#[test]
fn every_golden_has_its_scenario() {
    let sources = [
        include_str!("requests/cancels.rs"),
        include_str!("requests/compactions.rs"),
        include_str!("requests/guidance.rs"),
        include_str!("requests/restarts.rs"),
        include_str!("requests/steers.rs"),
        include_str!("requests/steps.rs"),
        include_str!("requests/travels.rs"),
        include_str!("runs/reference_run.rs"),
    ];
    for entry in std::fs::read_dir(goldens::directory()).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".txt") else {
            continue;
        };
        let played = |source: &&str| source.contains(&format!("golden(\"{name}\""));
        let is_played = name.starts_with("tools.") || sources.iter().any(played);
        assert!(is_played, "{file} belongs to no scenario");
    }
}
