//! Publishes changes of the configuration as soon as they happen.
//!
//! Correctness does not depend on this task: each use of the configuration compares the files' stamps
//! itself ([`ConfigSource`]). The task only makes that comparison earlier, when the system reports an
//! event in a watched directory and otherwise once a minute, and publishes the changes to clients.

mod alarm;
mod watched_dirs;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use scorel_home::ProjectRegistry;
use scorel_home::trusted_file::Stamp;
use scorel_proto::{ConfigLayer, HostEvent, ProjectId};
use scorel_session::Sessions;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::ConfigSource;
use crate::news::{ConfigChange, ConfigNews};
use alarm::FileAlarm;
use watched_dirs::WatchedDirs;

/// How long events must pause before the files are read: an editor saves a file in several steps.
const QUIET: Duration = Duration::from_millis(200);

/// The files are read after this time even if events keep coming.
const LONGEST_QUIET: Duration = Duration::from_secs(1);

/// The polling interval, for directories that cannot be watched and file systems that report no events.
const LOOK: Duration = Duration::from_secs(60);

/// Watches the configuration of a daemon.
#[derive(Debug)]
pub struct ConfigWatch {
    config: Arc<ConfigSource>,
    projects: Arc<ProjectRegistry>,
    sessions: Arc<Sessions>,
    /// The file with the secrets.
    env: PathBuf,
    /// Its stamp when the daemon had not begun to serve.
    env_at_start: Option<Stamp>,
    socket: PathBuf,
    alarm: Arc<FileAlarm>,
}

/// The state of the poll, handed from one blocking task to the next.
struct LookState {
    dirs: WatchedDirs,
    env: Option<Stamp>,
}

impl ConfigWatch {
    /// `env` is the file with the secrets, whose changes are told from now on. `socket` is rung when something
    /// happens to the daemon's socket. Blocks on a `stat`.
    pub fn new(
        config: Arc<ConfigSource>,
        projects: Arc<ProjectRegistry>,
        sessions: Arc<Sessions>,
        env: PathBuf,
        socket: (&Path, Arc<Notify>),
    ) -> Self {
        let path = socket.0.to_owned();
        let alarm = Arc::new(FileAlarm::new(Arc::clone(config.bell()), socket));
        Self {
            config,
            projects,
            sessions,
            env_at_start: Stamp::current(&env).ok().flatten(),
            env,
            socket: path,
            alarm,
        }
    }

    /// Watches until `closing` is cancelled.
    pub async fn run(self, closing: CancellationToken) {
        let mut state = LookState {
            dirs: WatchedDirs::new(Arc::clone(&self.alarm)),
            env: self.env_at_start,
        };
        let watch = Arc::new(self);
        let bell = Arc::clone(watch.config.bell());
        let watched = async {
            loop {
                let looker = Arc::clone(&watch);
                let look = scorel_engine::spawn_blocking(move || {
                    looker.look(&mut state);
                    state
                });
                let Ok(looked) = look.await else { return };
                state = looked;
                tokio::select! {
                    () = bell.notified() => quiet(&bell).await,
                    () = sleep(LOOK) => {}
                }
            }
        };
        closing.run_until_cancelled(watched).await;
    }

    /// Sets the watches before it reads the stamps, so that a change before the watch is found now.
    fn look(&self, state: &mut LookState) {
        let mut files = vec![self.socket.clone(), self.env.clone()];
        files.extend(self.config.files());
        state.dirs.follow(&files);
        for news in self.config.look() {
            self.tell(news);
        }
        let env = Stamp::current(&self.env).ok().flatten();
        if env != state.env {
            let removed = env.is_none();
            state.env = env;
            let change = ConfigChange {
                generation: self.config.count_secrets(),
                keys: Vec::new(),
                restart_needed: false,
                removed,
            };
            self.tell_change(ConfigLayer::Env, None, change);
        }
    }

    fn tell(&self, news: ConfigNews) {
        let layer = match news.project {
            Some(_) => ConfigLayer::Project,
            None => ConfigLayer::User,
        };
        let project_id = news.project.as_deref().and_then(|dir| self.project_at(dir));
        if let Some(change) = news.change {
            if news.project.is_none() {
                self.config.has_changed(change.generation);
            }
            self.tell_change(layer, project_id, change);
        }
        if let Some(problem) = news.problem {
            self.sessions
                .host()
                .publish(|version| HostEvent::ConfigInvalid {
                    version,
                    project_id,
                    path: problem.path,
                    line: problem.line,
                    column: problem.column,
                    message: problem.message,
                    suggestion: problem.suggestion,
                });
        }
    }

    fn tell_change(&self, layer: ConfigLayer, project_id: Option<ProjectId>, change: ConfigChange) {
        self.sessions
            .host()
            .publish(|version| HostEvent::ConfigChanged {
                version,
                layer,
                project_id,
                generation: change.generation,
                keys: change.keys,
                restart_needed: change.restart_needed,
                removed: change.removed,
            });
    }

    fn project_at(&self, dir: &Path) -> Option<ProjectId> {
        let projects = self.projects.list();
        let found = projects.iter().find(|it| Path::new(&it.work_dir) == dir);
        found.map(|project| project.project_id)
    }
}

/// Waits until nothing has happened for [`QUIET`], and no longer than [`LONGEST_QUIET`].
async fn quiet(bell: &Notify) {
    let latest = Instant::now() + LONGEST_QUIET;
    loop {
        let until = latest.min(Instant::now() + QUIET);
        tokio::select! {
            biased;
            () = sleep_until(until) => return,
            () = bell.notified() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_look_waits_for_quiet_and_not_for_ever() {
        let (bell, start) = (Arc::new(Notify::new()), Instant::now());
        quiet(&bell).await;
        assert_eq!(start.elapsed(), QUIET);

        let ringing = Arc::clone(&bell);
        let rings = tokio::spawn(async move {
            loop {
                ringing.notify_one();
                sleep(QUIET / 4).await;
            }
        });
        let start = Instant::now();
        quiet(&bell).await;
        assert_eq!(start.elapsed(), LONGEST_QUIET);
        rings.abort();
    }
}
