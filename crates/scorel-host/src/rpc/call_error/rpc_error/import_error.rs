use scorel_proto::{ErrorCode, RpcError};
use scorel_transfer::ImportError;
use scorel_transfer::bundle::BundleProblem;
use scorel_transfer::transcript::TranscriptProblem;
use serde_json::{Value, json};

use super::write_code::write_code;

/// The file that the caller named is the caller's mistake, where it can be read.
pub(super) fn import(error: &ImportError) -> RpcError {
    let of_path = |kind: &str| {
        let details = json!({ "field": "path", "kind": kind });
        (ErrorCode::InvalidParams, details)
    };
    let limited = |limit: u64| (ErrorCode::PayloadTooLarge, json!({ "limit": limit }));
    let (code, details) = match error {
        ImportError::NotAbsolute(_) => of_path("not_absolute"),
        ImportError::NotRegular { path } | ImportError::Io { path, .. } => {
            (ErrorCode::FilesystemError, json!({ "path": path }))
        }
        ImportError::TooLarge { limit } => limited(*limit),
        ImportError::Bundle(problem) => match problem {
            BundleProblem::Damaged(_) => of_path("damaged"),
            BundleProblem::Newer(_) => of_path("newer_format"),
            BundleProblem::TooLarge { limit } | BundleProblem::TooMany { limit } => limited(*limit),
            BundleProblem::Write(error) => (write_code(error), Value::Null),
        },
        ImportError::Transcript(problem) => match problem {
            TranscriptProblem::UnknownFormat => of_path("unknown_format"),
            TranscriptProblem::Empty => of_path("empty"),
            TranscriptProblem::LineTooLong { limit }
            | TranscriptProblem::TooManyLines { limit } => limited(*limit),
            TranscriptProblem::Io(_) => (ErrorCode::FilesystemError, Value::Null),
        },
    };
    RpcError::new(code, error.to_string()).with_details(details)
}
