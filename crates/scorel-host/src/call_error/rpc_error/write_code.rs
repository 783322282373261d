use std::io::{self, ErrorKind};

use scorel_proto::ErrorCode;

/// The code of a file that cannot be written.
pub(super) fn write_code(error: &io::Error) -> ErrorCode {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem => {
            ErrorCode::StorageStalled
        }
        _ => ErrorCode::FilesystemError,
    }
}
