//! The append-only session log.
