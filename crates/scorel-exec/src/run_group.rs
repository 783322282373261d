//! Commands that share limits.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cgroup::CgroupDirectory;
use crate::limits::{LimitKind, ResourceLimits, ResourceUsage};
use crate::run::RunControl;

/// Commands whose memory and processes are limited together, such as those that a session runs in the
/// background. When they reach a limit, the one that uses most of it is ended.
///
/// Each supervisor measures its own command; their reports are added up here. With control groups the
/// kernel limits the memory of the group, which has a directory of its own.
#[derive(Debug, Default)]
pub struct RunGroup {
    members: Mutex<HashMap<u64, GroupMember>>,
    cgroup: Option<CgroupDirectory>,
}

#[derive(Debug)]
struct GroupMember {
    control: Arc<RunControl>,
    usage: ResourceUsage,
}

impl RunGroup {
    pub(crate) fn new(cgroup: Option<CgroupDirectory>) -> Self {
        Self {
            members: Mutex::default(),
            cgroup,
        }
    }

    pub(crate) fn cgroup(&self) -> Option<&Path> {
        self.cgroup.as_ref().map(CgroupDirectory::path)
    }

    pub(crate) fn add(&self, run: u64, control: Arc<RunControl>) {
        let usage = ResourceUsage::default();
        self.members().insert(run, GroupMember { control, usage });
    }

    pub(crate) fn remove(&self, run: u64) {
        self.members().remove(&run);
    }

    /// Records a member's current usage. Ends the largest member if all members together exceed
    /// `limits`.
    pub(crate) fn record(&self, run: u64, usage: ResourceUsage, limits: &ResourceLimits) {
        let mut members = self.members();
        if let Some(member) = members.get_mut(&run) {
            member.usage = usage;
        }
        // A member that is being ended still counts until its processes are gone. Do not end a second
        // one for the same excess.
        if members.values().any(|it| it.control.reached().is_some()) {
            return;
        }
        let total = members
            .values()
            .fold(ResourceUsage::default(), |sum, it| ResourceUsage {
                memory: sum.memory.saturating_add(it.usage.memory),
                processes: sum.processes.saturating_add(it.usage.processes),
            });
        let Some(kind) = total.exceeds(limits) else {
            return;
        };
        let part = |member: &&GroupMember| match kind {
            LimitKind::Processes => member.usage.processes,
            _ => member.usage.memory,
        };
        if let Some(largest) = members.values().max_by_key(part) {
            largest.control.end_at(kind);
        }
    }

    fn members(&self) -> MutexGuard<'_, HashMap<u64, GroupMember>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const LIMITS: ResourceLimits = ResourceLimits {
        memory: 100,
        processes: 10,
        open_files: 0,
        file_size: 0,
        scratch_space: 0,
    };

    fn group() -> (RunGroup, [Arc<RunControl>; 2]) {
        let group = RunGroup::default();
        let controls = [1, 2].map(|id| {
            let control = Arc::new(RunControl::new().expect("an event descriptor"));
            group.add(id, Arc::clone(&control));
            control
        });
        (group, controls)
    }

    fn usage(memory: u64, processes: u64) -> ResourceUsage {
        ResourceUsage { memory, processes }
    }

    #[test]
    fn the_largest_command_is_ended_when_all_together_use_too_much() {
        let (group, [small, large]) = group();
        group.record(1, usage(40, 9), &LIMITS);
        group.record(2, usage(60, 1), &LIMITS);
        assert_eq!((small.reached(), large.reached()), (None, None));
        group.record(1, usage(41, 9), &LIMITS);
        assert_eq!(small.reached(), None);
        assert_eq!(large.reached(), Some(LimitKind::Memory));
        // No second one for the same excess.
        group.record(1, usage(50, 9), &LIMITS);
        assert_eq!(small.reached(), None);
        group.remove(2);
        group.record(1, usage(50, 11), &LIMITS);
        assert_eq!(small.reached(), Some(LimitKind::Processes));
    }

    #[test]
    fn the_command_with_most_processes_is_ended_for_their_number() {
        let (group, [one, two]) = group();
        group.record(1, usage(90, 3), &LIMITS);
        group.record(2, usage(1, 8), &LIMITS);
        assert_eq!(one.reached(), None);
        assert_eq!(two.reached(), Some(LimitKind::Processes));
    }
}
