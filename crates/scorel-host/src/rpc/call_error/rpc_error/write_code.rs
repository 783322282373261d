use std::io;

use scorel_journal::{is_no_space, is_out_of_descriptors, is_read_only};
use scorel_proto::ErrorCode;

/// The code of a file that cannot be written.
pub(super) fn write_code(error: &io::Error) -> ErrorCode {
    if is_out_of_descriptors(error) {
        ErrorCode::Overloaded
    } else if is_no_space(error) || is_read_only(error) {
        ErrorCode::StorageStalled
    } else {
        ErrorCode::FilesystemError
    }
}

#[cfg(test)]
mod tests {
    use nix::errno::Errno;

    use super::*;
    use crate::rpc::call_error::CallError;
    use scorel_home::{ProjectError, StateError};

    #[test]
    fn a_full_disk_and_too_many_files_have_one_code_each() {
        for (errno, code) in [
            (Errno::ENOSPC, ErrorCode::StorageStalled),
            (Errno::EDQUOT, ErrorCode::StorageStalled),
            (Errno::EROFS, ErrorCode::StorageStalled),
            (Errno::EMFILE, ErrorCode::Overloaded),
            (Errno::ENFILE, ErrorCode::Overloaded),
            (Errno::EIO, ErrorCode::FilesystemError),
        ] {
            assert_eq!(write_code(&errno.into()), code, "{errno}");
            let error = ProjectError::File(StateError::Write {
                path: "/home/projects.json".into(),
                source: errno.into(),
            });
            let error = scorel_proto::RpcError::from(CallError::Project { error, path: None });
            assert_eq!(error.code, code, "{errno}");
        }
    }
}
