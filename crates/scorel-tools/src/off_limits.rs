//! Paths outside the project that file tools never touch, whatever the user permits.

use std::path::{Component, Path};

use scorel_permission::DaemonHome;

/// The reason why the file at `path`, absolute and without links, is off limits; `None` if it is not.
///
/// File tools run in the daemon. What `/proc` says about it, such as its environment, holds keys, and so
/// does its home.
pub(crate) fn off_limits(path: &Path, daemon_home: &DaemonHome) -> Option<&'static str> {
    if daemon_home.keeps(path) {
        return Some("it belongs to Scorel");
    }
    let mut parts = path.components().skip(1);
    let is_process = |part: Component<'_>| {
        let name = part.as_os_str().to_string_lossy();
        name.bytes().all(|byte| byte.is_ascii_digit()) || name == "self" || name == "thread-self"
    };
    (parts.next()? == Component::Normal("proc".as_ref()) && is_process(parts.next()?))
        .then_some("it shows what is in a running process")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_and_the_daemons_home_are_off_limits() {
        let home = DaemonHome::closed(Path::new("/srv/scorel"));
        let is_off = |path: &str| off_limits(Path::new(path), &home).is_some();
        for path in [
            "/proc/1/environ",
            "/proc/4711",
            "/proc/self/mem",
            "/proc/thread-self/fd/3",
            "/srv/scorel",
            "/srv/scorel/env",
        ] {
            assert!(is_off(path), "{path}");
        }
        for path in [
            "/",
            "/proc",
            "/proc/cpuinfo",
            "/etc/proc/1",
            "/srv/scorel2",
            "/srv",
        ] {
            assert!(!is_off(path), "{path}");
        }
    }
}
