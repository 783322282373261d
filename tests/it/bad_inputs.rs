//! Bad input, row by row: what is sent or found on the disk, and what must come of it.
//!
//! What costs memory or patience is in `overload`.

mod framing;
mod live_logs;
mod logs;
mod requests;
mod second_daemon;
mod session_dirs;
