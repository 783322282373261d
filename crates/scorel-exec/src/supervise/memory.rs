//! The memory of processes.

use std::fs;
use std::io;

use crate::process_table::{Process, unless_ended};

const KIB: u64 = 1024;

/// The memory of all these processes together, in bytes, without files in the page cache.
///
/// Memory that processes share after a fork counts once for each of them in the figures that are cheap to
/// read. Only if those exceed `limit` are the shared pages divided, which takes a walk over the page
/// tables. Each walk waits until the process has forked, which takes seconds beside a fork bomb, so
/// `is_enough` is asked before each; then what was found so far is returned.
pub(super) fn measure(
    processes: &[Process],
    limit: u64,
    mut is_enough: impl FnMut() -> io::Result<bool>,
) -> io::Result<u64> {
    let mut total = 0_u64;
    for process in processes {
        total = total.saturating_add(quick(process)?);
    }
    if total <= limit {
        return Ok(total);
    }
    total = 0;
    for process in processes {
        if total > limit || is_enough()? {
            break;
        }
        total = total.saturating_add(exact(process)?);
    }
    Ok(total)
}

fn quick(process: &Process) -> io::Result<u64> {
    let text = read(process, "status")?.unwrap_or_default();
    Ok(add_up(&text, &["RssAnon:", "RssShmem:", "VmSwap:"]))
}

fn exact(process: &Process) -> io::Result<u64> {
    let text = match read(process, "smaps_rollup") {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(0),
        // That of a program that hides its memory, as `gpg-agent` does.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return quick(process),
        Err(error) => return Err(error),
    };
    if text.contains("Pss_Anon:") {
        Ok(add_up(&text, &["Pss_Anon:", "Pss_Shmem:", "SwapPss:"]))
    } else {
        // Before Linux 5.9 the kinds are not told apart.
        quick(process)
    }
}

/// `None` if the process has ended.
fn read(process: &Process, file: &str) -> io::Result<Option<String>> {
    unless_ended(fs::read_to_string(format!("/proc/{}/{file}", process.pid)))
}

/// The sum of these fields. A process that has just ended has none of them.
fn add_up(text: &str, fields: &[&str]) -> u64 {
    let values = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(char::is_whitespace)?;
        let value = fields.contains(&name).then(|| value.trim())?;
        value.strip_suffix(" kB")?.trim().parse::<u64>().ok()
    });
    values.sum::<u64>().saturating_mul(KIB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_added_up() {
        let text = "Name:\tx\nVmSwap:\t       1 kB\nRssAnon:\t    2048 kB\nRssFile:\t 7 kB\n";
        assert_eq!(add_up(text, &["RssAnon:", "VmSwap:"]), 2049 * 1024);
        assert_eq!(add_up("Name:\tx\nState:\tZ (zombie)\n", &["RssAnon:"]), 0);
    }

    #[test]
    fn this_process_uses_memory() {
        let own = Process::find(i32::try_from(std::process::id()).unwrap());
        let own = [own.unwrap().unwrap()];
        let quick = measure(&own, u64::MAX, || panic!("it is not exact")).unwrap();
        assert!(quick > 100 * KIB, "{quick}");
        let exact = measure(&own, 0, || Ok(false)).unwrap();
        assert!(exact > 100 * KIB, "{exact}");
        assert_eq!(measure(&own, 0, || Ok(true)).unwrap(), 0);
    }
}
