//! A second daemon on the same home.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use scorel_testkit::{DaemonUnderTest, Deadline};

use crate::under_test::{SCORELD, Watch, new_session, send};

/// Modification time and content of files; nothing for directories.
type FileStates = BTreeMap<PathBuf, Option<(SystemTime, Vec<u8>)>>;

/// All files of a home but what the serving daemon writes from time to time.
fn files(dir: &Path) -> FileStates {
    let mut found = FileStates::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(path) = todo.pop() {
        let metadata = match fs::symlink_metadata(&path) {
            // A file of the daemon may go away at any time.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            metadata => metadata.unwrap(),
        };
        let content = match metadata.is_file().then(|| fs::read(&path)) {
            Some(Err(error)) if error.kind() == ErrorKind::NotFound => continue,
            content => content.map(Result::unwrap),
        };
        let file = content.map(|content| (metadata.modified().unwrap(), content));
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            let entries = entries.map(|entry| entry.unwrap().path());
            todo.extend(entries.filter(|entry| !is_of_the_first(entry)));
        }
        found.insert(path, file);
    }
    found
}

/// The index of sessions, or its temporary file, the search index, the support of the sandbox, or the log
/// files, which a thread writes later: the first daemon writes them.
fn is_of_the_first(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    let name = name.trim_start_matches('.');
    let is = |written: &&str| name.starts_with(*written);
    ["index", "search.db", "sandbox-support", "logs"]
        .iter()
        .any(is)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_daemon_on_the_same_home_writes_nothing() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, session) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, session).await;
    send(&client, session, "Hello?").await;
    watch.until("turn_outcome").await;
    let before = files(&daemon.home());
    let second = || {
        let mut command = Command::new(SCORELD);
        command.arg("--home").arg(daemon.home()).env_clear();
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let racing: Vec<_> = (0..8).map(|_| second()).collect();
    for child in racing {
        let _deadline = Deadline::of(&child);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(0),
            "it finds a daemon that serves: {said}"
        );
    }
    let after = files(&daemon.home());
    let changed: Vec<_> = after
        .iter()
        .filter(|(path, file)| before.get(*path) != Some(file))
        .collect();
    assert!(changed.is_empty(), "D-17: {changed:?}");
    assert_eq!(before.len(), after.len(), "D-17");
    send(&client, session, "Still there?").await;
    watch.until("turn_outcome").await;
}
