/// By what the kernel limits the processes and threads of a sandboxed command, where the daemon has no
/// control group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskLimit {
    /// `pid_max` of its pid namespace.
    PidNamespace,
    /// `RLIMIT_NPROC` in its user namespace.
    UserNamespace,
    /// By nothing: processes are counted.
    None,
}
