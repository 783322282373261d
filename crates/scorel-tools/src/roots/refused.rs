//! Errors for the model when a location cannot be opened.

use rustix::io::Errno;

use super::location::Location;
use crate::error::{ErrorCode, ToolError};
use crate::root::{RootName, Settled};

/// The error for a location that does not exist.
pub(super) fn missing(location: &Location, settled: &Settled) -> ToolError {
    let refused = refusal(location, Errno::NOENT);
    let Some(name) = settled.look_alike() else {
        return refused;
    };
    let escaped = |char: char| match char.is_ascii() {
        true => char.to_string(),
        false => char
            .encode_utf16(&mut [0; 2])
            .iter()
            .map(|it| format!("\\u{it:04x}"))
            .collect(),
    };
    let written: String = name.chars().map(escaped).collect();
    let message = format!(
        "{}. `{name}` is there, which looks the same, but is written `{written}` in JSON: use that name",
        refused.message
    );
    ToolError { message, ..refused }.with("lookAlike", name)
}

/// The error for the model when the system does not open a location.
pub(super) fn refusal(location: &Location, error: Errno) -> ToolError {
    let (outside, unknown);
    let (code, reason) = match error {
        Errno::NOENT => (ErrorCode::NotFound, "does not exist; find files with Glob"),
        Errno::XDEV => (
            ErrorCode::SandboxViolation,
            match location.root {
                RootName::System => "leads outside of what the user permitted",
                root => {
                    outside = format!("leads outside {root}");
                    outside.as_str()
                }
            },
        ),
        // No link was in a granted path when it was judged.
        Errno::LOOP if location.root == RootName::System => (
            ErrorCode::Stale,
            "leads to another file than when the call was judged",
        ),
        Errno::LOOP => (ErrorCode::SandboxViolation, "goes through too many links"),
        Errno::ACCESS | Errno::PERM => (
            ErrorCode::AccessDenied,
            "cannot be opened: permission denied",
        ),
        Errno::NOTDIR => (
            ErrorCode::NotADirectory,
            "goes through something that is not a directory",
        ),
        Errno::NAMETOOLONG => (ErrorCode::InvalidArguments, "has a name that is too long"),
        Errno::ISDIR => (ErrorCode::IsDirectory, "is a directory, not a file"),
        Errno::ROFS => (
            ErrorCode::AccessDenied,
            "is on a file system that is read-only",
        ),
        Errno::NOSPC | Errno::DQUOT => (ErrorCode::NoSpace, "has no space left"),
        Errno::NXIO | Errno::NODEV => return not_a_file(location),
        other => {
            unknown = format!("cannot be opened: {}", std::io::Error::from(other));
            (ErrorCode::Internal, unknown.as_str())
        }
    };
    location.refused(code, reason)
}

pub(super) fn not_a_file(location: &Location) -> ToolError {
    let reason = "is a device, pipe or socket, not a file";
    location.refused(ErrorCode::NotAFile, reason)
}
