//! A session and limits of its own, which every command has, in a sandbox or not.

use std::fs;
use std::io;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::stat::{Mode, umask};
use nix::unistd::{geteuid, setsid};

use super::own_task_limit;
use crate::cgroup;
use crate::job::StageJob;

/// Half of the way to "first of all" (1,000): when memory is short, the kernel picks a command and
/// not the daemon.
const OOM_SCORE: i32 = 500;

const OOM_SCORE_FILE: &str = "/proc/self/oom_score_adj";

/// Prepares this process and what it starts. Before the mounts: it writes below `/proc` and
/// `/sys/fs/cgroup`.
pub(super) fn prepare(job: &StageJob) -> io::Result<()> {
    // A process group of its own: `kill 0` would reach the supervisor. The scheduler also shares the
    // processor by sessions, so that a fork bomb does not hold up the supervisor that ends it.
    setsid()?;
    if let Some(group) = &job.cgroup {
        cgroup::join(group)?;
    }
    raise_oom_score()
}

fn raise_oom_score() -> io::Result<()> {
    let now: i32 = fs::read_to_string(OOM_SCORE_FILE)?
        .trim()
        .parse()
        .map_err(io::Error::other)?;
    // To lower it takes a privilege.
    if now < OOM_SCORE {
        fs::write(OOM_SCORE_FILE, OOM_SCORE.to_string())?;
    }
    Ok(())
}

/// Limits the tasks of this pid namespace, whose `/proc` is mounted and can still be written to.
///
/// Without a limit of the namespace's own it is one of the user namespace, which an unprivileged user has
/// and in which only the session's commands run. It does not hold for a superuser.
pub(super) fn limit_tasks(job: &StageJob) -> nix::Result<()> {
    let Some(limits) = &job.limits else {
        return Ok(());
    };
    if own_task_limit::set(limits.tasks()).is_ok() || geteuid().is_root() {
        return Ok(());
    }
    lower(Resource::RLIMIT_NPROC, limits.tasks())
}

/// Sets the limits that the kernel holds each process to, and the umask.
pub(super) fn limit(job: &StageJob) -> nix::Result<()> {
    if let Some(mask) = job.umask {
        umask(Mode::from_bits_truncate(mask.bits()));
    }
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    limit_open_files(job)?;
    if let Some(limits) = &job.limits {
        lower(Resource::RLIMIT_FSIZE, limits.file_size)?;
    }
    Ok(())
}

/// The command cannot raise the hard limit again. The soft one stays what the daemon was started with,
/// as far as that is allowed: programs that use `select(2)` break with a higher one than 1,024.
fn limit_open_files(job: &StageJob) -> nix::Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    let limits = job.limits.as_ref();
    let hard = limits.map_or(hard, |limits| limits.open_files.min(hard));
    let soft = job.open_files.unwrap_or(soft).min(hard);
    setrlimit(Resource::RLIMIT_NOFILE, soft, hard)
}

/// Sets both limits: the command cannot raise the soft one again. What the daemon is limited to stays.
fn lower(resource: Resource, value: u64) -> nix::Result<()> {
    let (_, hard) = getrlimit(resource)?;
    let value = value.min(hard);
    setrlimit(resource, value, value)
}
