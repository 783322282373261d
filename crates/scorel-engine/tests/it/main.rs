//! Turns with a scripted model and scripted tools, on paused time.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod answers;
mod cancel;
mod clock;
mod costs;
mod gate;
mod hook_merges;
mod hooks;
mod interleavings;
mod limits;
mod model;
mod permission;
mod play;
mod retries;
mod rules;
mod runner_hooks;
mod toolbox;
mod tools;
