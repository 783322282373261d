use std::path::Path;
use std::time::Duration;

use scorel_client::read_home_file;
use serde::Deserialize;

/// The parts of `daemon.json` that tell of a daemon's end.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EndingDaemon {
    pid: u32,
    /// The announced time until its end, in milliseconds.
    stopping_within: Option<u64>,
}

/// The time that the daemon that is process `pid` may take to end, by its own announcement in `daemon.json`.
/// `None` if it has announced no end, or the file is missing, unreadable or from another daemon.
pub(crate) fn stopping_within(path: &Path, pid: u32) -> Option<Duration> {
    let bytes = read_home_file(path).ok()?;
    let daemon: EndingDaemon = serde_json::from_slice(&bytes).ok()?;
    let within = daemon.stopping_within.filter(|_| daemon.pid == pid)?;
    Some(Duration::from_millis(within))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_the_announcement_of_the_same_process_counts() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("daemon.json");
        assert_eq!(stopping_within(&path, 7), None, "no file");
        let announced = r#"{"pid": 7, "version": "1.0", "stoppingWithin": 31000}"#;
        fs::write(&path, announced).expect("written");
        assert_eq!(stopping_within(&path, 7), Some(Duration::from_secs(31)));
        assert_eq!(stopping_within(&path, 8), None);
        fs::write(&path, r#"{"pid": 7}"#).expect("written");
        assert_eq!(stopping_within(&path, 7), None, "it serves");
    }
}
