//! What the daemon says about itself. Nothing here waits for a session.

use std::path::Path;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use nix::sys::statvfs::statvfs;
use scorel_config::ConfigSource;
use scorel_metrics::{Executable, resident_bytes};
use scorel_proto::{ConfigStatus, DaemonExecutable, ProtocolRange, Status, StorageStatus};
use scorel_rpc::{HttpDocument, HttpDocuments, Load};

use super::Host;

/// The version of the text format: a scraper that gets none may take it for another.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The parts of a status that are looked up on a blocking thread.
#[derive(Debug, Default)]
struct LookedUp {
    default_model: String,
    config_problem: Option<String>,
    config: ConfigStatus,
    free_bytes: Option<u64>,
    resident_bytes: Option<u64>,
    executable: Option<DaemonExecutable>,
}

impl Host {
    /// The reply to `getStatus`.
    pub(crate) async fn status(&self) -> Status {
        let (config, home) = (Arc::clone(&self.config), self.home.clone());
        let executable = self.executable.clone();
        let look = move || LookedUp::look(&config, &home, executable.as_deref());
        let looked_up = scorel_engine::spawn_blocking(look);
        let looked_up = looked_up.await.unwrap_or_default();
        let overview = self.sessions.overview();
        Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: ProtocolRange::SUPPORTED,
            device_id: self.device.id,
            display_name: self.device.display_name.clone(),
            pid: std::process::id(),
            home: self.home.display().to_string(),
            started_at: self.started_at,
            connections: self.load.get().map_or(0, Load::connections),
            loaded_sessions: u32::try_from(self.sessions.loaded_count()).unwrap_or(u32::MAX),
            active: overview.active,
            default_model: looked_up.default_model,
            draining: self.shutdown.cause().is_some(),
            config_problem: looked_up.config_problem,
            executable: looked_up.executable,
            manager: self.manager,
            sessions_by_phase: overview.by_phase,
            questions: overview.questions,
            subscribers: self.followers.list(),
            resident_bytes: looked_up.resident_bytes,
            storage: StorageStatus {
                free_bytes: looked_up.free_bytes,
                stalled_sessions: overview.stalled,
            },
            search: self.search.status(),
            config: looked_up.config,
            processes: self.processes(),
            dropped_hook_runs: self.command_hooks.dropped(),
        }
    }
}

/// The documents for HTTP clients of the owner's socket: `/metrics`, and no other path.
impl HttpDocuments for Host {
    fn find(&self, path: &str) -> Option<BoxFuture<'static, HttpDocument>> {
        (path == "/metrics").then(|| {
            let by_phase = self.sessions.overview().by_phase;
            let document = HttpDocument {
                content_type: METRICS_TYPE,
                text: self.metrics.text(&by_phase, self.followers.largest_lag()),
            };
            ready(document).boxed()
        })
    }
}

impl LookedUp {
    /// Blocks on the disk.
    fn look(config: &ConfigSource, home: &Path, executable: Option<&Executable>) -> Self {
        Self {
            default_model: config.current(None).model.full_name(),
            config_problem: config.problem(),
            config: ConfigStatus {
                generation: config.generation(),
                problems: config.problems(),
            },
            free_bytes: free_bytes(home),
            resident_bytes: resident_bytes(),
            executable: executable.map(Executable::describe),
        }
    }
}

/// What the user can still write to the file system of a directory.
#[cfg_attr(
    target_os = "linux",
    expect(clippy::useless_conversion, reason = "the count has 32 bits on macOS")
)]
fn free_bytes(dir: &Path) -> Option<u64> {
    let known = statvfs(dir).ok()?;
    u64::from(known.blocks_available()).checked_mul(known.fragment_size())
}
