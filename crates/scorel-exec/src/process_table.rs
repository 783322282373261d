//! The process table, read from `/proc`.

use std::collections::HashMap;
use std::fs;
use std::io;

use nix::errno::Errno;

/// A process when its entry was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) session: i32,
    /// Start time in clock ticks since boot. With the process id it identifies a process, since process
    /// ids are used again.
    pub(crate) started: u64,
    /// True if it has ended and waits to be reaped.
    pub(crate) is_zombie: bool,
}

impl Process {
    /// The process; `None` if it has ended.
    pub(crate) fn find(pid: i32) -> io::Result<Option<Self>> {
        let path = format!("/proc/{pid}/stat");
        let Some(line) = unless_ended(fs::read(&path))? else {
            return Ok(None);
        };
        let process = parse(&line);
        process
            .map(Some)
            .ok_or_else(|| io::Error::other(format!("{path} is not understood")))
    }
}

/// A file below `/proc/PID`; `None` if it is missing because the process has ended.
pub(crate) fn unless_ended<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    let code = |error: &io::Error| error.raw_os_error().map(Errno::from_raw);
    match read {
        Err(error) if matches!(code(&error), Some(Errno::ENOENT | Errno::ESRCH)) => Ok(None),
        read => read.map(Some),
    }
}

/// All processes in this pid namespace, unless `/proc` hides those of other users. An error, and not a
/// part of them, if it cannot be read: a process that is not found would survive its command.
pub(crate) fn all() -> io::Result<Vec<Process>> {
    let mut processes = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        processes.extend(Process::find(pid)?);
    }
    Ok(processes)
}

/// The living descendants of `root`, but no more than `at_most` and one. Costs by their number, and not by
/// how many processes the machine has. One that loses its parent meanwhile may be missing. `None` on a
/// kernel that does not list children (`CONFIG_PROC_CHILDREN`).
pub(crate) fn living_below(root: i32, at_most: u64) -> io::Result<Option<Vec<Process>>> {
    if !fs::exists("/proc/thread-self/children")? {
        return Ok(None);
    }
    let mut found = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for child in children(parent)? {
            // The process id may be another process's by now.
            let process = Process::find(child)?.filter(|it| it.parent == parent && !it.is_zombie);
            found.extend(process);
            parents.extend(process.map(|it| it.pid));
            if found.len() as u64 > at_most {
                return Ok(Some(found));
            }
        }
    }
    Ok(Some(found))
}

/// The children of all threads of a process; none if it has ended.
fn children(pid: i32) -> io::Result<Vec<i32>> {
    let mut found = Vec::new();
    let threads = unless_ended(fs::read_dir(format!("/proc/{pid}/task")))?;
    for thread in threads.into_iter().flatten() {
        let listed = thread.and_then(|it| fs::read_to_string(it.path().join("children")));
        let text = unless_ended(listed)?.unwrap_or_default();
        found.extend(text.split_ascii_whitespace().flat_map(str::parse::<i32>));
    }
    Ok(found)
}

/// The processes of `table` that descend from `root`, parents first.
pub(crate) fn descendants(table: &[Process], root: i32) -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in table {
        children.entry(process.parent).or_default().push(*process);
    }
    let mut found = children.remove(&root).unwrap_or_default();
    let mut next = 0;
    while let Some(process) = found.get(next) {
        let pid = process.pid;
        found.extend(children.remove(&pid).unwrap_or_default());
        next += 1;
    }
    found
}

/// Parses `/proc/PID/stat`. The second field, the name in parentheses, may contain anything, also
/// parentheses and spaces; the last `)` ends it.
fn parse(line: &[u8]) -> Option<Process> {
    let name_end = line.iter().rposition(|byte| *byte == b')')?;
    let pid_end = line.iter().position(|byte| *byte == b' ')?;
    let pid = std::str::from_utf8(&line[..pid_end]).ok()?.parse().ok()?;
    let rest = std::str::from_utf8(line.get(name_end + 2..)?).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(Process {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        is_zombie: matches!(*fields.first()?, "Z" | "X"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_os = "linux")]
    use crate::signal;

    fn process(pid: i32, parent: i32) -> Process {
        Process {
            pid,
            parent,
            session: 1,
            started: 0,
            is_zombie: false,
        }
    }

    #[test]
    fn a_name_may_contain_parentheses_and_spaces() {
        let line = b"42 (a) Z 1 (b) c) S 7 42 41 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 991 0\n";
        let found = parse(line).unwrap();
        assert_eq!((found.pid, found.parent, found.session), (42, 7, 41));
        assert_eq!((found.started, found.is_zombie), (991, false));
        assert_eq!(parse(b"42 (a"), None);
    }

    #[test]
    fn descendants_are_found_over_generations() {
        let table = [process(5, 4), process(4, 2), process(3, 1), process(2, 1)];
        let pids = |root| {
            let found = descendants(&table, root);
            found.iter().map(|it| it.pid).collect::<Vec<_>>()
        };
        assert_eq!(pids(2), [4, 5]);
        assert_eq!(pids(1), [3, 2, 4, 5]);
        assert_eq!(pids(9), [0; 0]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn living_descendants_are_found_without_the_table() {
        // The second thread's child has one of its own, which the shell waits for.
        let start = || {
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", "sleep 100 & echo; wait"]);
            shell.stdout(std::process::Stdio::piped()).spawn().unwrap()
        };
        let mut shell = std::thread::spawn(start).join().unwrap();
        io::Read::read_exact(shell.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        let pid = i32::try_from(shell.id()).unwrap();
        let below = |root, at_most| living_below(root, at_most).unwrap().unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        let [sleep] = below(pid, 5)[..] else {
            panic!("{:?}", below(pid, 5));
        };
        let from_here = below(own, u64::MAX);
        assert!(from_here.contains(&sleep), "{from_here:?}");
        assert_eq!(below(own, 0).len(), 1);
        signal::send(&sleep, rustix::process::Signal::KILL).unwrap();
        shell.wait().unwrap();
        assert_eq!(below(pid, 5), []);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_in_the_table() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(all().unwrap().iter().any(|process| process.pid == own));
        let found = Process::find(own).unwrap();
        assert!(found.is_some_and(|it| it.pid == own && !it.is_zombie));
        assert_eq!(Process::find(i32::MAX).unwrap(), None);
    }
}
