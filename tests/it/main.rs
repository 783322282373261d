//! Black-box tests: real processes, sockets and files, and a scripted model endpoint.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed, and says what it skips or measures"
)]

mod acp;
mod agents;
mod attach;
mod attach_terminal;
mod attachments;
mod bad_inputs;
mod bash;
mod beyond;
mod channels;
mod cli;
mod clients;
mod command_line;
mod commands;
mod compaction;
mod config;
mod context_hooks;
mod conversation;
mod crash;
mod dependencies;
mod doctor;
mod environment;
mod extensions;
mod files;
mod find_files;
mod first_listing;
mod follow;
mod fsck;
mod full_disk;
mod guidance;
mod hooks;
mod kill_loop;
mod limits;
mod live;
mod mcp;
mod mcp_face;
mod metrics;
mod models;
mod overload;
mod own_writes;
mod packages;
mod parking;
mod permission;
mod plugins;
mod program_stage;
mod project_gone;
mod questions;
mod raw;
mod read_only;
mod receipts;
mod remote;
mod requests;
mod runners;
mod runs;
mod search;
mod service;
mod steering;
mod strace;
mod structure;
mod transfer;
mod trash;
mod travel;
mod trust;
mod under_test;
mod unreadable;
mod usage;
mod watchers;
mod web_fetch;
mod wires;
mod workflows;

/// A file that is not declared as a module would silently not run.
#[test]
fn every_file_is_part_of_the_suite() {
    let listed = include_str!("main.rs");
    let dir = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/it")).unwrap();
    for entry in dir {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        let declared = listed.lines().any(|line| line == format!("mod {module};"));
        assert!(
            name == "main.rs" || declared,
            "{name} is not listed in main.rs"
        );
    }
}
