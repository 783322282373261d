//! Clients that ask for too much, and what it costs the daemon and others.
//!
//! `SCOREL_EVENT_MIB` says how much a stalled subscriber misses (10 MiB in the normal run).

mod bombs;
mod descriptors;
mod limits;
mod stalled;
mod storms;
