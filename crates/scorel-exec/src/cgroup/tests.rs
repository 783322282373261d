//! Groups in a directory that looks like the kernel's. What only the kernel does, such as refusing a
//! process in a group with controllers, is not in it.

use super::*;

const LIMITS: ResourceLimits = ResourceLimits {
    memory: 1 << 30,
    processes: 100,
    open_files: 10,
    file_size: 10,
    scratch_space: 10,
};

const OWN: u32 = 42;

/// A group with these controllers and processes.
fn group(controllers: &str, processes: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a directory");
    let write = |name, text| fs::write(root.path().join(name), text).expect("a file");
    write("cgroup.controllers", controllers);
    write("cgroup.procs", processes);
    root
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

#[test]
fn a_delegated_group_is_taken_over() {
    let root = group("cpu memory pids\n", "42\n");
    DelegatedGroup::take_at(root.path(), OWN).unwrap();
    let daemon = root.path().join(DAEMON);
    assert_eq!(read(&daemon.join("cgroup.procs")), "42");
    assert_eq!(
        read(&root.path().join("cgroup.subtree_control")),
        "+memory +pids"
    );
}

#[test]
fn a_command_gets_a_group_with_its_limits() {
    let root = group("memory pids", "42\n");
    let delegated = DelegatedGroup::take_at(root.path(), OWN).unwrap();
    let made = delegated.for_command(7, &LIMITS).unwrap();
    let path = root.path().join("run-7");
    assert_eq!(made.path(), path);
    assert_eq!(read(&path.join("memory.max")), "1073741824");
    assert_eq!(read(&path.join("memory.swap.max")), "0");
    assert_eq!(read(&path.join("memory.oom.group")), "1");
    assert_eq!(read(&path.join("pids.max")), LIMITS.tasks().to_string());
}

#[test]
fn commands_in_the_background_have_groups_in_one_that_is_limited() {
    let root = group("memory pids", "42\n");
    let delegated = DelegatedGroup::take_at(root.path(), OWN).unwrap();
    let shared = delegated.for_group(3).unwrap();
    let below = CgroupDirectory::below(shared.path(), 9, &LIMITS).unwrap();
    let path = root.path().join("background-3");
    assert_eq!(below.path(), path.join("run-9"));
    assert_eq!(read(&path.join("cgroup.subtree_control")), "+memory +pids");
    assert_eq!(read(&path.join("memory.max")), "1073741824");
    assert_eq!(read(&path.join("run-9/memory.max")), "1073741824");
    // The kernel's files go with the directory; here they do not.
    for file in [
        "memory.max",
        "memory.swap.max",
        "memory.oom.group",
        "pids.max",
    ] {
        fs::remove_file(path.join("run-9").join(file)).unwrap();
    }
    drop(below);
    assert!(!path.join("run-9").exists());
}

#[test]
fn a_group_that_is_not_delegated_is_left_as_it_was() {
    let without = group("cpu pids", "42\n");
    let error = DelegatedGroup::take_at(without.path(), OWN).unwrap_err();
    assert!(matches!(error, NoDelegation::NoControllers), "{error}");
    let shared = group("memory pids", "42\n43\n");
    let error = DelegatedGroup::take_at(shared.path(), OWN).unwrap_err();
    assert!(matches!(error, NoDelegation::NotAlone), "{error}");
    assert!(!shared.path().join(DAEMON).exists());
    // The controllers cannot be passed on: the process goes back.
    let refused = group("memory pids", "42\n");
    fs::create_dir(refused.path().join("cgroup.subtree_control")).unwrap();
    let error = DelegatedGroup::take_at(refused.path(), OWN).unwrap_err();
    assert!(matches!(error, NoDelegation::NotDelegated(_)), "{error}");
    assert_eq!(read(&refused.path().join("cgroup.procs")), "42");
}

#[test]
fn what_the_kernel_enforced_is_read_from_the_events() {
    let root = tempfile::tempdir().unwrap();
    let events = |memory: &str, pids: &str| {
        fs::write(root.path().join("memory.events"), memory).unwrap();
        fs::write(root.path().join("pids.events"), pids).unwrap();
        reached(root.path()).unwrap()
    };
    let quiet = "low 0\nhigh 0\nmax 12\noom 0\noom_kill 0\noom_group_kill 0\n";
    assert_eq!(events(quiet, "max 0\n"), None);
    assert_eq!(events(quiet, "max 3\n"), Some(LimitKind::Processes));
    let killed = "low 0\nmax 90\noom 1\noom_kill 4\noom_group_kill 1\n";
    assert_eq!(events(killed, "max 0\n"), Some(LimitKind::Memory));
    assert!(reached(&root.path().join("gone")).is_err());
}
