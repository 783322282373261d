/// Lets everything else run before this thread.
///
/// On Linux a priority belongs to a thread, and a new one has that of the thread that made it. Elsewhere
/// it belongs to the process, and stays as it is.
pub(crate) fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, LOWEST) {
        tracing::debug!(%error, "the thread of the index has the priority of the daemon");
    }
}

#[cfg(target_os = "linux")]
const LOWEST: i32 = 19;
