//! Bad input as tables: what is sent or found on disk, and the expected outcome.
//!
//! What costs memory or patience is in `overload`.

mod framing;
mod live_logs;
mod logs;
mod requests;
mod second_daemon;
mod session_dirs;
