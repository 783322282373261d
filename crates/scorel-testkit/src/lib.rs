//! Test doubles and harnesses.
//!
//! Doubles: [`ModelServer`], a scripted model endpoint over HTTP, and [`StrictServer`], which also
//! rejects what the real APIs reject. Harnesses: [`DaemonUnderTest`], a real daemon process;
//! [`Terminal`], a program at a terminal of its own; [`Strace`], its system calls and injected faults; [`CheckedLog`] and [`Sightings`], the invariants
//! of a session's log and of what clients saw of it, whatever faults were injected; [`Network`], which is slow and loses
//! streams; [`OtherReader`], documents as programs of others read them.

mod acp_script;
mod agent_cli;
mod agent_model;
mod at_terminal;
mod canary;
mod checked_log;
mod daemon;
mod deadline;
mod descriptors;
mod histories;
mod model_server;
mod network;
mod other_reader;
mod reply;
mod seed;
mod sightings;
mod strace;
mod strict;
mod terminal;
mod terminal_window;
mod trial_arguments;
mod wire_api;

pub use acp_script::{ACP_HANDSHAKE, AcpScript, HOSTILE_ACP};
pub use agent_cli::AgentCli;
pub use agent_model::AgentModel;
pub use canary::CANARY;
pub use checked_log::{CheckedLog, CheckedRecord, LogFault, sealed};
pub use daemon::DaemonUnderTest;
pub use deadline::Deadline;
pub use descriptors::send_descriptors;
pub use histories::Histories;
pub use model_server::{
    ModelServer, RecordedRequest, ResponseGate, ScriptedChat, ScriptedResponse,
};
pub use network::Network;
pub use other_reader::OtherReader;
pub use reply::ModelReply;
pub use seed::{SeededDice, runs};
pub use sightings::{SightingFault, Sightings};
pub use strace::{Strace, Trace, TracedCall};
pub use strict::StrictServer;
pub use terminal::Terminal;
pub use terminal_window::TerminalWindow;
pub use trial_arguments::trial_arguments;
pub use wire_api::WireApi;
