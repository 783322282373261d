//! Tables of bad input, sent or found on disk, with the expected outcomes.
//!
//! Input that costs memory or time is in `overload`.

mod framing;
mod live_logs;
mod logs;
mod requests;
mod second_daemon;
mod session_dirs;
