//! The Scorel daemon.
//!
//! This crate owns the process: its arguments, its claim of a home, its log, its service manager,
//! its signals and its exit code. What the daemon serves is `scorel-host`'s. From the start of the
//! process to its end:
//!
//! 1. `start` reads the command line, adopts a socket that a service manager passed, goes to the
//!    background if asked, and claims the home. All of that happens before there is a second thread.
//! 2. It opens the log, the configuration and the files of the home into a `Setup`.
//! 3. `daemon` opens the host over it, and serves it until its `Shutdown` begins.
//!
//! Only one daemon runs in a home (`Instance`), and only it writes there. The same program checks
//! and repairs homes (`fsck`), and says what keeps a daemon from running (`doctor`).

mod activation;
mod args;
mod daemon;
mod daemonize;
mod doctor;
mod exit;
mod fsck;
mod instance;
mod logging;
mod readiness;
mod service;
mod setup;
mod signals;
mod start;
mod unit;

pub use start::main;
