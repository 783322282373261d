/// The permission to start a daemon that is not running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartDaemon {
    Never,
    /// The service manager, where it has a unit. On another machine its socket does that, or nothing.
    AsService,
    /// The service manager, or this program.
    Always,
}
