//! Clients that ask for too much, and the cost to the daemon and to other clients.
//!
//! `SCOREL_EVENT_MIB` says how much a stalled subscriber misses (10 MiB in the normal run).

mod bombs;
mod context;
mod descriptors;
mod given_back;
mod limits;
mod reads;
mod stalled;
mod storms;
