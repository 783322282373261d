//! The servers, each a process of its own on the loopback.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;

use crate::under_test::PATIENCE;

const VARIABLE: &str = "SCOREL_LIVE_SERVERS";

/// Where `tests/live/set-up` installed the servers.
pub(super) struct InstalledServers {
    directory: PathBuf,
}

impl InstalledServers {
    /// `None`, with a remark, if they are not to be used.
    pub(super) fn find() -> Option<Self> {
        let Some(directory) = std::env::var_os(VARIABLE) else {
            println!("skipped: {VARIABLE} is not set; tests/live/set-up installs the servers");
            return None;
        };
        let directory = PathBuf::from(directory);
        for needed in ["venv/bin/python", "venv/bin/litellm", "model.gguf"] {
            let path = directory.join(needed);
            assert!(
                path.exists(),
                "{} is missing: run tests/live/set-up",
                path.display()
            );
        }
        Some(Self { directory })
    }

    /// A program of theirs, with an environment of its own.
    fn command(&self, program: &str, home: &Path) -> Command {
        let mut command = Command::new(self.directory.join("venv/bin").join(program));
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", home)
            .current_dir(home)
            .stdin(Stdio::piped())
            .kill_on_drop(true);
        command
    }
}

/// llama.cpp's own server. It ends with this.
pub(super) struct LlamaServer {
    address: String,
    _child: Child,
    _stdin: ChildStdin,
    _home: TempDir,
}

impl LlamaServer {
    pub(super) async fn start(installed: &InstalledServers) -> Self {
        let home = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("live/llama_server.py");
        let mut command = installed.command("python", home.path());
        command
            .arg(script)
            .arg(installed.directory.join("model.gguf"));
        let errors = home.path().join("errors");
        command.stderr(std::fs::File::create(&errors).unwrap());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let address = line_with(child.stdout.take().unwrap(), "http://").await;
        let address = address.unwrap_or_else(|| {
            let errors = std::fs::read_to_string(&errors).unwrap_or_default();
            panic!("llama.cpp does not start: {errors}")
        });
        Self {
            address,
            _stdin: child.stdin.take().unwrap(),
            _child: child,
            _home: home,
        }
    }

    pub(super) fn base_url(&self) -> String {
        format!("{}/v1", self.address)
    }
}

/// litellm in front of llama.cpp, with a key. It ends with this.
pub(super) struct ProxyServer {
    port: u16,
    _child: Child,
    _home: TempDir,
}

impl ProxyServer {
    pub(super) const KEY: &'static str = "sk-live-0123456789";

    pub(super) async fn start(installed: &InstalledServers, llama: &LlamaServer) -> Self {
        let home = tempfile::tempdir().unwrap();
        let config = format!(
            "model_list:\n- model_name: tiny\n  litellm_params:\n    model: openai/tiny\n    \
             api_base: {}\n    api_key: none\ngeneral_settings:\n  master_key: {}\n",
            llama.base_url(),
            Self::KEY
        );
        let file = home.path().join("litellm.yaml");
        std::fs::write(&file, config).unwrap();
        let port = free_port();
        let mut command = installed.command("litellm", home.path());
        command
            .arg("--config")
            .arg(&file)
            .args(["--host", "127.0.0.1", "--port", &port.to_string()])
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            .env("NO_PROXY", "*")
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let ready = line_with(child.stderr.take().unwrap(), "Uvicorn running on").await;
        assert!(ready.is_some(), "litellm does not start");
        Self {
            port,
            _child: child,
            _home: home,
        }
    }

    pub(super) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }
}

/// A port that was free just now: litellm cannot choose one itself.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// The first line with a text in it; what follows is read and dropped, so that the program can go on
/// writing. `None` if there is none in time.
async fn line_with(output: impl AsyncRead + Unpin + Send + 'static, text: &str) -> Option<String> {
    let mut lines = BufReader::new(output).lines();
    let found = async {
        loop {
            match lines.next_line().await {
                Ok(Some(line)) if line.contains(text) => return Some(line),
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => return None,
            }
        }
    };
    let found = timeout(PATIENCE, found).await.ok().flatten();
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    found
}
