//! Starting a daemon, played by a shell script that leaves a trace.

use std::fs;
use std::path::{Path, PathBuf};

use scorel_client::{ClientError, DaemonHome, Starter};
use tempfile::TempDir;
use tokio::net::UnixListener;

struct TestHome {
    directory: TempDir,
}

impl TestHome {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().expect("a directory"),
        }
    }

    fn home(&self) -> DaemonHome {
        let user = self.directory.path().to_path_buf();
        DaemonHome::resolve(None, |name| (name == "HOME").then(|| user.clone().into()))
            .expect("a home")
    }

    fn trace(&self) -> PathBuf {
        self.directory.path().join("trace")
    }

    fn traced(&self) -> String {
        fs::read_to_string(self.trace()).unwrap_or_default()
    }

    /// A program that writes its arguments to the trace and then does `body`.
    fn program(&self, name: &str, body: &str) -> PathBuf {
        let path = self.directory.path().join(name);
        let trace = self.trace();
        let text = format!(
            "#!/bin/sh\necho \"{name} $*\" >> {}\n{body}\n",
            trace.display()
        );
        // By a process of its own: one that another test starts meanwhile would hold the file open
        // for writing for a moment, and a file that is can not be run.
        let script = "printf %s \"$1\" > \"$0\" && chmod 700 \"$0\"";
        let mut shell = std::process::Command::new("sh");
        let written = shell.args(["-c", script]).arg(&path).arg(text).status();
        assert!(written.expect("sh runs").success());
        path
    }

    fn without_unit(&self, program: &Path) -> Starter {
        let systemctl = self.program("systemctl", "exit 1");
        Starter::new(self.home(), program).service_manager(systemctl)
    }
}

#[tokio::test]
async fn a_daemon_that_cannot_start_is_reported_in_its_own_words() {
    let place = TestHome::new();
    let program = place.program("scoreld", "echo 'the home is damaged' >&2; exit 78");
    let error = place.without_unit(&program).connect_or_start().await;
    let error = error.expect_err("no daemon");
    assert!(matches!(error, ClientError::Start(_)), "{error:?}");
    assert!(error.to_string().contains("the home is damaged"), "{error}");
    assert!(error.to_string().contains("78"), "{error}");
}

#[tokio::test]
async fn a_missing_program_is_reported_with_what_to_do() {
    let place = TestHome::new();
    let starter = place.without_unit(Path::new("/nonexistent/scoreld"));
    let error = starter.connect_or_start().await.expect_err("no program");
    assert!(
        error.to_string().contains("/nonexistent/scoreld"),
        "{error}"
    );
    assert!(error.hint().expect("a hint").contains("SCORELD"));
}

#[tokio::test]
async fn the_program_gets_the_home_and_must_leave_a_daemon_that_answers() {
    let place = TestHome::new();
    let program = place.program("scoreld", "exit 0");
    let error = place.without_unit(&program).connect_or_start().await;
    let error = error.expect_err("no daemon answers although the program succeeded");
    assert!(
        matches!(error, ClientError::Unreachable { .. }),
        "{error:?}"
    );
    let home = place.home();
    let expected = format!("scoreld --daemonize --home {}\n", home.path().display());
    assert!(place.traced().ends_with(&expected), "{}", place.traced());
}

#[tokio::test]
async fn a_daemon_that_answers_is_not_started() {
    let place = TestHome::new();
    place.home().create().expect("a home");
    let socket = place.home().socket_path().expect("a path");
    let _listener = UnixListener::bind(socket).expect("a socket");
    let starter = place.without_unit(&place.program("scoreld", "exit 1"));
    starter.connect_or_start().await.expect("connected");
    assert_eq!(place.traced(), "");
}

#[tokio::test]
async fn an_installed_unit_is_preferred_for_the_default_home_only() {
    let place = TestHome::new();
    let program = place.program("scoreld", "exit 1");
    let systemctl = place.program("systemctl", "exit 0");
    let starter = Starter::new(place.home(), &program).service_manager(&systemctl);
    starter
        .connect_or_start()
        .await
        .expect_err("no daemon answers");
    assert_eq!(
        place.traced(),
        "systemctl --user cat scoreld.service\nsystemctl --user is-enabled scoreld.socket\n\
         systemctl --user is-active scoreld.socket\nsystemctl --user start scoreld.service\n"
    );
    fs::remove_file(place.trace()).expect("removed");
    let other = place.directory.path().join("other");
    let home = DaemonHome::resolve(Some(&other), |_| None).expect("a home");
    let starter = Starter::new(home, &program).service_manager(&systemctl);
    starter.connect_or_start().await.expect_err("it fails");
    assert_eq!(
        place.traced(),
        format!("scoreld --daemonize --home {}\n", other.display())
    );
}

/// The program asks the test to listen, through a FIFO, and waits until it does. It fails if it is
/// run twice.
#[tokio::test]
async fn sixteen_clients_at_once_start_exactly_one_daemon() {
    let place = TestHome::new();
    let directory = place.directory.path().display();
    let body = format!(
        "mkdir {directory}/started || exit 1\n\
         echo go > {directory}/asked; read answer < {directory}/ready"
    );
    let program = place.program("scoreld", &body);
    for name in ["asked", "ready"] {
        let made = std::process::Command::new("mkfifo")
            .arg(place.directory.path().join(name))
            .status();
        assert!(made.expect("mkfifo runs").success());
    }
    let socket = place.home().socket_path().expect("a path");
    let asked = place.directory.path().join("asked");
    let ready = place.directory.path().join("ready");
    let daemon = async {
        let read = tokio::task::spawn_blocking(move || fs::read_to_string(asked)).await;
        assert_eq!(read.expect("no panic").expect("asked"), "go\n");
        let listener = UnixListener::bind(socket).expect("a socket");
        let wrote = tokio::task::spawn_blocking(move || fs::write(ready, "yes\n")).await;
        wrote.expect("no panic").expect("answered");
        listener
    };
    let starter = place.without_unit(&program);
    let clients = (0..16).map(|_| starter.connect_or_start());
    let (connections, _listener) = tokio::join!(futures_util::future::join_all(clients), daemon);
    for connection in connections {
        connection.expect("connected");
    }
    let starts = place.traced().matches("scoreld --daemonize").count();
    assert_eq!(starts, 1, "{}", place.traced());
}

#[tokio::test]
async fn only_the_service_manager_starts_a_service() {
    let place = TestHome::new();
    let program = place.program("scoreld", "exit 1");
    let error = place
        .without_unit(&program)
        .connect_or_start_service()
        .await;
    let error = error.expect_err("no unit");
    assert!(
        matches!(error, ClientError::Unreachable { .. }),
        "{error:?}"
    );
    assert!(
        !place.traced().contains("scoreld --daemonize"),
        "{}",
        place.traced()
    );
    let systemctl = place.program("systemctl", "exit 0");
    let starter = Starter::new(place.home(), &program).service_manager(systemctl);
    let error = starter.connect_or_start_service().await;
    error.expect_err("the unit was started, and nothing listens");
    let traced = place.traced();
    assert!(
        traced.contains("systemctl --user start scoreld.service"),
        "{traced}"
    );
    assert!(!traced.contains("scoreld --daemonize"), "{traced}");
}

#[tokio::test]
async fn the_service_manager_restarts_the_daemon_that_it_runs() {
    let place = TestHome::new();
    let systemctl = place.program("systemctl", "test \"$2\" = show && echo 4711; exit 0");
    let starter = Starter::new(place.home(), "scoreld").service_manager(&systemctl);
    assert!(starter.is_service(4711).await);
    assert!(!starter.is_service(4712).await, "another daemon");
    fs::remove_file(place.trace()).expect("removed");
    starter.restart_service().await.expect("restarted");
    assert_eq!(
        place.traced(),
        "systemctl --user daemon-reload\nsystemctl --user is-enabled scoreld.socket\n\
         systemctl --user is-active scoreld.socket\nsystemctl --user restart scoreld.service\n"
    );
    let other = place.directory.path().join("other");
    let home = DaemonHome::resolve(Some(&other), |_| None).expect("a home");
    let starter = Starter::new(home, "scoreld").service_manager(&systemctl);
    assert!(
        !starter.is_service(4711).await,
        "the unit serves the default home"
    );
    let none = place.program("no-systemctl", "echo 0; exit 1");
    let starter = Starter::new(place.home(), "scoreld").service_manager(&none);
    assert!(!starter.is_service(0).await);
    let failed = starter.restart_service().await.expect_err("it fails");
    assert!(matches!(failed, ClientError::Start(_)), "{failed:?}");
}

#[tokio::test]
async fn a_socket_that_was_stopped_is_started_before_the_service() {
    let place = TestHome::new();
    let systemctl = place.program("systemctl", "test \"$2\" != is-active");
    let starter = Starter::new(place.home(), "scoreld").service_manager(&systemctl);
    let started = "systemctl --user start scoreld.socket\nsystemctl --user start scoreld.service\n";
    let error = starter.connect_or_start().await;
    error.expect_err("the units were started, and nothing listens");
    assert!(place.traced().ends_with(started), "{}", place.traced());
    starter.restart_service().await.expect("restarted");
    let stopped = format!(
        "systemctl --user stop scoreld.service\nsystemctl --user is-enabled scoreld.socket\nsystemctl --user is-active scoreld.socket\n{started}"
    );
    assert!(place.traced().ends_with(&stopped), "{}", place.traced());
}
