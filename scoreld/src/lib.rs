//! The Scorel daemon.
//!
//! This crate owns the process: arguments, the claim of a home, logging, service manager, signals,
//! exit codes. `scorel-host` owns everything that the daemon serves; the cut is there so that the host
//! can be opened in tests, and by other programs, without a process of its own. From start to exit:
//!
//! 1. `start` parses the command line, adopts a socket from the service manager, forks if asked, and
//!    claims the home. All of that happens before there is a second thread.
//! 2. It opens the log, the configuration and the files of the home: a `Setup`.
//! 3. `daemon` opens the host from it and serves it until shutdown begins, then drains. `watchdog` ends it
//!    if it hangs.
//!
//! One daemon runs per home (`Instance`), and only the holder of the home's lock writes there. The
//! same program checks and repairs homes (`fsck`) and diagnoses the environment (`doctor`).

mod activation;
mod args;
mod completion;
mod config;
mod daemon;
mod daemon_call;
mod daemonize;
mod doctor;
mod exit;
mod fsck;
mod home_watch;
mod idle_exit;
mod instance;
mod logging;
mod manual;
mod open_files;
mod readiness;
mod service;
mod setup;
mod signals;
mod start;
mod unit;
mod watchdog;

pub use start::main;
