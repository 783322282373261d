//! Whether a command exceeds its limits, measured again and again.

use std::io;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

use super::memory;
use super::scratch::ScratchMeter;
use crate::cgroup;
use crate::job::WatchJob;
use crate::limits::{LimitKind, ResourceUsage};
use crate::process_table::Process;

/// The shortest time between two measurements. A process fills some 100 MiB in it.
const SHORTEST: Duration = Duration::from_millis(50);

/// The longest time, for a command with hundreds of processes.
const LONGEST: Duration = Duration::from_secs(1);

/// Measuring takes at most this part of a processor's time, 1 /.
const SHARE: u32 = 50;

/// The part of the scratch directories that is walked before the command starts, in slices. An empty directory
/// takes microseconds, so many entries up to 70 ms.
const SLICES_BEFORE: usize = 16;

/// The limits of a running command.
pub(super) struct LimitWatch {
    job: WatchJob,
    scratch: ScratchMeter,
    /// The size of the scratch directories at the start. It raises the limit: a command that cleans up a
    /// full directory must be able to run.
    scratch_before: Option<u64>,
    pub(super) next: Instant,
}

pub(super) struct Measurement {
    /// The usage that the daemon adds up, if it does.
    pub(super) usage: Option<ResourceUsage>,
    pub(super) reached: Option<LimitKind>,
}

impl LimitWatch {
    /// To be called before the command starts: everything that it has written until the first walk would
    /// raise its own limit. Only where the directories have too many entries does that walk end later.
    pub(super) fn new(job: WatchJob) -> Self {
        let mut scratch = ScratchMeter::new(job.scratch.clone());
        let scratch_before = (0..SLICES_BEFORE).find_map(|_| scratch.walk());
        Self {
            scratch,
            job,
            scratch_before,
            next: Instant::now() + SHORTEST,
        }
    }

    /// Measures what `list` lists, which gets the limit of processes. Sets the time of the next measurement.
    pub(super) fn measure(
        &mut self,
        list: impl FnMut(u64) -> io::Result<Vec<Process>>,
    ) -> io::Result<Measurement> {
        // Not the time on the clock: when a fork bomb takes the processor, it is needed most.
        let before = processor_time()?;
        let measured = self.measure_now(list);
        let pause = processor_time()?
            .saturating_sub(before)
            .saturating_mul(SHARE);
        self.next = Instant::now() + pause.clamp(SHORTEST, LONGEST);
        measured
    }

    fn measure_now(
        &mut self,
        mut list: impl FnMut(u64) -> io::Result<Vec<Process>>,
    ) -> io::Result<Measurement> {
        let limits = self.job.limits;
        let mut listed_at = Instant::now();
        let processes = list(limits.processes)?;
        let mut usage = ResourceUsage {
            memory: 0,
            processes: processes.len() as u64,
        };
        // A fork bomb leaves the supervisor little of the processor, and memory takes most of it.
        if self.job.cgroup.is_none() && usage.exceeds(&limits).is_none() {
            let count = &mut usage.processes;
            usage.memory = memory::measure(&processes, limits.memory, || {
                if listed_at.elapsed() > SHORTEST {
                    listed_at = Instant::now();
                    *count = list(limits.processes)?.len() as u64;
                }
                Ok(*count > limits.processes)
            })?;
        }
        let reached = match usage.exceeds(&limits) {
            Some(kind) => Some(kind),
            None => self.enforced()?,
        };
        Ok(Measurement {
            usage: self.job.reports_usage.then_some(usage),
            reached: reached.or_else(|| self.scratch_limit()),
        })
    }

    /// The limit that the kernel has enforced, for a command in a control group.
    pub(super) fn enforced(&self) -> io::Result<Option<LimitKind>> {
        let reached = self.job.cgroup.as_deref().map(cgroup::reached);
        Ok(reached.transpose()?.flatten())
    }

    fn scratch_limit(&mut self) -> Option<LimitKind> {
        let bytes = self.scratch.walk()?;
        let before = *self.scratch_before.get_or_insert(bytes);
        let limit = self.job.limits.scratch_space.max(before);
        (bytes > limit).then_some(LimitKind::ScratchSpace)
    }
}

/// The time that this thread has had the processor.
fn processor_time() -> io::Result<Duration> {
    Ok(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?.into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::limits::ResourceLimits;

    #[test]
    fn a_file_of_the_command_does_not_raise_its_limit() {
        let directory = tempfile::tempdir().unwrap();
        let mut watch = LimitWatch::new(WatchJob {
            limits: ResourceLimits {
                scratch_space: 1 << 20,
                ..ResourceLimits::default()
            },
            scratch: vec![directory.path().to_owned()],
            cgroup: None,
            reports_usage: false,
        });
        fs::write(directory.path().join("quick"), vec![1; 3 << 20]).unwrap();
        let measured = watch.measure(|_| Ok(Vec::new())).unwrap();
        assert_eq!(measured.reached, Some(LimitKind::ScratchSpace));
    }

    /// A control group in a directory that looks like the kernel's.
    #[test]
    fn what_a_control_group_enforced_is_reached() {
        let group = tempfile::tempdir().unwrap();
        let events = |memory: &str, tasks: &str| {
            fs::write(group.path().join("memory.events"), memory).unwrap();
            fs::write(group.path().join("pids.events"), tasks).unwrap();
        };
        let mut watch = LimitWatch::new(WatchJob {
            limits: ResourceLimits::default(),
            scratch: Vec::new(),
            cgroup: Some(group.path().to_owned()),
            reports_usage: true,
        });
        let mut measure = || watch.measure(|_| Ok(Vec::new()));
        events("oom_kill 0\n", "max 0\n");
        let measured = measure().unwrap();
        assert_eq!(measured.usage, Some(ResourceUsage::default()));
        assert_eq!(measured.reached, None);
        events("oom_kill 2\n", "max 0\n");
        assert_eq!(measure().unwrap().reached, Some(LimitKind::Memory));
        events("oom_kill 0\n", "max 1\n");
        assert_eq!(measure().unwrap().reached, Some(LimitKind::Processes));
        fs::remove_file(group.path().join("memory.events")).unwrap();
        assert!(measure().is_err());
    }
}
