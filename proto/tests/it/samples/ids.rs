//! Ids and numbers that the samples share.

use scorel_proto::{
    AgentTaskId, BlobHash, ClientId, CommandId, CompactionId, DeviceId, EventId,
    PermissionRequestId, ProjectId, QueueItemId, RunId, Seq, SessionId, TurnId,
};

/// 2026-08-01 00:00:00 UTC, in milliseconds.
pub(crate) const TS: u64 = 1_785_542_400_000;

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(prefix: &str, last: u32) -> T {
    format!("{prefix}_01K1H9Q800{last:016}").parse().unwrap()
}

pub(crate) fn device() -> DeviceId {
    id("dev", 1)
}

pub(crate) fn project() -> ProjectId {
    id("prj", 1)
}

pub(crate) fn session() -> SessionId {
    id("ses", 1)
}

/// The session in which an agent works.
pub(crate) fn child() -> SessionId {
    id("ses", 2)
}

pub(crate) fn event(last: u32) -> EventId {
    id("evt", last)
}

pub(crate) fn turn() -> TurnId {
    id("trn", 1)
}

pub(crate) fn item(last: u32) -> QueueItemId {
    id("que", last)
}

pub(crate) fn compaction() -> CompactionId {
    id("cmp", 1)
}

pub(crate) fn request() -> PermissionRequestId {
    id("prm", 1)
}

pub(crate) fn runtime(last: u32) -> AgentTaskId {
    id("rti", last)
}

pub(crate) fn run() -> RunId {
    id("run", 1)
}

pub(crate) fn client() -> ClientId {
    id("cli", 1)
}

pub(crate) fn command() -> CommandId {
    "cmd-1".parse().unwrap()
}

pub(crate) fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap()
}

pub(crate) fn hash() -> BlobHash {
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        .parse()
        .unwrap()
}

/// The digest of a command.
pub(crate) fn digest() -> String {
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned()
}
