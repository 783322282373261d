//! A secret that is looked for wherever it may not be.

use std::fs;
use std::path::Path;

/// The value of a secret in the homes of [`DaemonUnderTest::keep_canary`](crate::DaemonUnderTest::keep_canary).
pub const CANARY: &str = "sk-canary-7c1f-0123456789";

/// Fails if the canary is in a file of a home besides its `env`, or in a command line of this machine.
pub(crate) fn check_home(home: &Path) {
    let mut directories = vec![home.to_owned()];
    while let Some(directory) = directories.pop() {
        // A directory that is gone by now holds no secret.
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            match kind {
                Ok(kind) if kind.is_dir() => directories.push(path),
                Ok(kind) if kind.is_file() && path != home.join("env") => {
                    check(
                        &fs::read(&path).unwrap_or_default(),
                        &path.display().to_string(),
                    );
                }
                _ => {}
            }
        }
    }
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let path = process.path().join("cmdline");
        check(
            &fs::read(&path).unwrap_or_default(),
            &path.display().to_string(),
        );
    }
}

/// Fails if the canary is in these bytes.
pub(crate) fn check(bytes: &[u8], place: &str) {
    let text = String::from_utf8_lossy(bytes);
    assert!(!text.contains(CANARY), "a secret of the home is in {place}");
}
