use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::scene::Scene;
use crate::under_test::PATIENCE;

/// The server, as Python runs it.
const SERVER: &str = include_str!("http_server.py");

/// A daemon with a server of the user that is reached by HTTP.
pub(super) struct HttpScene {
    scene: Scene,
    kind: String,
    script: PathBuf,
    port: u16,
    server: Child,
}

impl HttpScene {
    pub(super) async fn of(kind: &str) -> Self {
        Self::configured(kind, "").await
    }

    /// With more keys of the server's entry.
    pub(super) async fn configured(kind: &str, keys: &str) -> Self {
        // Beside the daemon's home, which is made later.
        let directory = tempfile::tempdir().unwrap().keep();
        let (script, notes) = (directory.join("http_server.py"), directory.join("notes"));
        std::fs::write(&script, SERVER).unwrap();
        let (server, port) = start(&script, kind, &notes, 0).await;
        let address = format!("http://127.0.0.1:{port}/mcp");
        let entry = format!("url = {address:?}\n{keys}\n");
        let mut scene = Scene::start("mode = \"full\"", |_| entry).await;
        scene.notes_at(notes);
        Self {
            scene,
            kind: kind.to_owned(),
            script,
            port,
            server,
        }
    }

    /// One that a person has to log in to, and has.
    pub(super) async fn logged_in(kind: &str) -> Self {
        let scene = Self::configured(kind, "auth = \"oauth\"").await;
        super::logins::log_in(&scene).await.unwrap();
        scene
    }

    /// Ends the server, as an update does.
    pub(super) async fn stop(&mut self) {
        self.server.kill().await.unwrap();
    }

    /// Starts it again at its address.
    pub(super) async fn start(&mut self) {
        let notes = self.scene.notes();
        let (server, _) = start(&self.script, &self.kind, &notes, self.port).await;
        self.server = server;
    }

    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// The times that a method of the server was called.
    pub(super) fn times(&self, method: &str) -> usize {
        let noted = self.noted("method").into_iter();
        noted.filter(|it| it["method"] == method).count()
    }
}

async fn start(script: &Path, kind: &str, notes: &Path, port: u16) -> (Child, u16) {
    let mut command = Command::new("python3");
    command
        .arg(script)
        .arg(kind)
        .arg(notes)
        .arg(port.to_string());
    let command = command.stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = timeout(PATIENCE, lines.next_line()).await;
    let port = line.expect("in time").unwrap().expect("it listens");
    (child, port.parse().unwrap())
}

impl Deref for HttpScene {
    type Target = Scene;

    fn deref(&self) -> &Scene {
        &self.scene
    }
}

impl DerefMut for HttpScene {
    fn deref_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }
}
