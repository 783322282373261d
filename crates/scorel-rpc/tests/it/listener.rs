//! Unix sockets: binding, adopting, admitting.

use std::fs;
use std::io::IoSlice;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use scorel_rpc::{BindError, Listener, RpcLimits, Service, local_user};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::methods::{self, Probe};
use crate::peer::{PATIENCE, code};

const ECHO: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}\n";

struct Daemon {
    directory: TempDir,
    probe: Arc<Probe>,
    shutdown: CancellationToken,
    served: JoinHandle<()>,
}

fn uid() -> u32 {
    nix::unistd::getuid().as_raw()
}

fn socket(directory: &TempDir) -> PathBuf {
    directory.path().join("s")
}

impl Daemon {
    fn start(limits: RpcLimits, uid: u32) -> Self {
        let directory = TempDir::new().unwrap();
        let listener = Listener::bind(&socket(&directory), false).unwrap();
        Self::serve(directory, listener, limits, uid)
    }

    fn serve(directory: TempDir, listener: Listener, limits: RpcLimits, uid: u32) -> Self {
        let (probe, shutdown) = (Probe::new(), CancellationToken::new());
        let service = Service::new(methods::table(&probe), limits, shutdown.clone()).unwrap();
        let served = tokio::spawn(async move { service.listen(listener, local_user(uid)).await });
        Self {
            directory,
            probe,
            shutdown,
            served,
        }
    }

    async fn connect(&self) -> BufReader<UnixStream> {
        BufReader::new(UnixStream::connect(socket(&self.directory)).await.unwrap())
    }
}

async fn ask(stream: &mut BufReader<UnixStream>, line: &[u8]) -> Value {
    stream.get_mut().write_all(line).await.unwrap();
    read(stream).await
}

async fn read(stream: &mut BufReader<UnixStream>) -> Value {
    let mut line = String::new();
    let reading = timeout(PATIENCE, stream.read_line(&mut line));
    reading.await.expect("a line").unwrap();
    serde_json::from_str(&line).unwrap()
}

#[tokio::test]
async fn a_socket_has_mode_0600_and_is_removed_with_its_listener() {
    let directory = TempDir::new().unwrap();
    let path = socket(&directory);
    let listener = Listener::bind(&path, false).unwrap();
    let file = path.symlink_metadata().unwrap();
    assert!(file.file_type().is_socket());
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    drop(listener);
    assert!(!path.exists());
}

#[tokio::test]
async fn the_socket_of_a_successor_is_not_removed() {
    let directory = TempDir::new().unwrap();
    let path = socket(&directory);
    let first = Listener::bind(&path, false).unwrap();
    let second = Listener::bind(&path, true).unwrap();
    drop(first);
    assert!(path.exists());
    drop(second);
    assert!(!path.exists());
}

/// Connects as soon as there is a socket that listens.
async fn connect_again(directory: &TempDir) -> BufReader<UnixStream> {
    loop {
        match UnixStream::connect(socket(directory)).await {
            Ok(stream) => return BufReader::new(stream),
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_socket_is_bound_again_and_connections_stay() {
    let adopted = || {
        let directory = TempDir::new().unwrap();
        let bound = std::os::unix::net::UnixListener::bind(socket(&directory)).unwrap();
        let listener = Listener::from_fd(bound.into()).unwrap();
        Daemon::serve(directory, listener, RpcLimits::default(), uid())
    };
    for daemon in [Daemon::start(RpcLimits::default(), uid()), adopted()] {
        let mut before = daemon.connect().await;
        ask(&mut before, ECHO).await;
        fs::remove_file(socket(&daemon.directory)).unwrap();
        let connected = timeout(PATIENCE, connect_again(&daemon.directory)).await;
        let mut after = connected.expect("a socket");
        ask(&mut after, ECHO).await;
        ask(&mut before, ECHO).await;
        let mode = socket(&daemon.directory).symlink_metadata().unwrap();
        assert_eq!(mode.permissions().mode() & 0o777, 0o600);
        daemon.shutdown.cancel();
        daemon.served.await.unwrap();
        assert!(!socket(&daemon.directory).exists());
    }
}

/// A served socket whose first look is over, and its bell.
async fn with_bell() -> (Daemon, Arc<tokio::sync::Notify>, CancellationToken) {
    let directory = TempDir::new().unwrap();
    let listener = Listener::bind(&socket(&directory), true).unwrap();
    let (bell, replaced) = (Arc::clone(listener.bell()), listener.replaced().clone());
    let daemon = Daemon::serve(directory, listener, RpcLimits::default(), uid());
    ask(&mut daemon.connect().await, ECHO).await;
    (daemon, bell, replaced)
}

#[tokio::test(start_paused = true)]
async fn a_deleted_socket_is_bound_again_soon_when_its_bell_rings() {
    let (daemon, bell, _) = with_bell().await;
    let path = socket(&daemon.directory);
    fs::remove_file(&path).unwrap();
    bell.notify_one();
    let removed = Instant::now();
    while !path.exists() {
        assert!(removed.elapsed() < Duration::from_secs(1));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn who_takes_the_path_has_the_time_to_bind() {
    let (daemon, bell, replaced) = with_bell().await;
    let path = socket(&daemon.directory);
    fs::remove_file(&path).unwrap();
    bell.notify_one();
    // The clock stands still while there is something to do.
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    let _other = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let found = timeout(PATIENCE, replaced.cancelled());
    found.await.expect("it is found");
}

#[tokio::test(start_paused = true)]
async fn a_socket_in_the_place_of_the_socket_is_reported_and_left_alone() {
    let directory = TempDir::new().unwrap();
    let path = socket(&directory);
    let bound = || Listener::bind(&path, true).unwrap();
    let adopted = || {
        fs::remove_file(&path).unwrap();
        let bound = std::os::unix::net::UnixListener::bind(&path).unwrap();
        Listener::from_fd(bound.into()).unwrap()
    };
    let kinds: [&dyn Fn() -> Listener; 2] = [&bound, &adopted];
    for listener in kinds {
        let listener = listener();
        let replaced = listener.replaced().clone();
        let directory = TempDir::new().unwrap();
        let daemon = Daemon::serve(directory, listener, RpcLimits::default(), uid());
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(!replaced.is_cancelled(), "nothing has happened");
        fs::remove_file(&path).unwrap();
        let _other = std::os::unix::net::UnixListener::bind(&path).unwrap();
        timeout(PATIENCE, replaced.cancelled())
            .await
            .expect("it is found");
        daemon.shutdown.cancel();
        daemon.served.await.unwrap();
        assert!(path.exists());
    }
}

#[tokio::test(start_paused = true)]
async fn a_file_in_the_place_of_the_socket_is_left_alone() {
    let daemon = Daemon::start(RpcLimits::default(), uid());
    let path = socket(&daemon.directory);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "mine").unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    daemon.shutdown.cancel();
    daemon.served.await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}

#[tokio::test]
async fn only_a_socket_is_replaced_and_only_on_request() {
    let directory = TempDir::new().unwrap();
    let path = socket(&directory);
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(matches!(
        Listener::bind(&path, false),
        Err(BindError::Exists(_))
    ));
    drop(Listener::bind(&path, true).unwrap());

    let target = directory.path().join("target");
    drop(std::os::unix::net::UnixListener::bind(&target).unwrap());
    let in_the_way = |name: &str| directory.path().join(name);
    std::fs::write(in_the_way("file"), "x").unwrap();
    std::fs::create_dir(in_the_way("directory")).unwrap();
    nix::unistd::mkfifo(&in_the_way("fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::os::unix::fs::symlink(&target, in_the_way("symlink")).unwrap();
    for name in ["file", "directory", "fifo", "symlink"] {
        let bound = Listener::bind(&in_the_way(name), true);
        assert!(matches!(bound, Err(BindError::NotASocket(_))), "{name}");
        assert!(
            in_the_way(name).symlink_metadata().is_ok(),
            "{name} is still there"
        );
    }
}

#[tokio::test]
async fn a_path_that_is_too_long_has_an_error_of_its_own() {
    let long = PathBuf::from(format!("/tmp/{}", "x".repeat(120)));
    let error = Listener::bind(&long, false).unwrap_err().to_string();
    assert!(
        error.contains("125 bytes") && error.contains("shorter directory"),
        "{error}"
    );
    let missing = Listener::bind(Path::new("/nonexistent/s"), false).unwrap_err();
    assert!(matches!(missing, BindError::Io { .. }), "{missing}");
}

#[tokio::test]
async fn an_adopted_socket_is_served_and_never_removed() {
    let directory = TempDir::new().unwrap();
    let path = socket(&directory);
    let adopted = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let listener = Listener::from_fd(adopted.into()).unwrap();
    let daemon = Daemon::serve(directory, listener, RpcLimits::default(), uid());
    let mut stream = daemon.connect().await;
    assert!(ask(&mut stream, ECHO).await["result"].is_object());
    daemon.shutdown.cancel();
    daemon.served.await.unwrap();
    assert!(path.exists());
}

#[tokio::test]
async fn only_listening_unix_sockets_are_adopted() {
    let (a, _b) = std::os::unix::net::UnixStream::pair().unwrap();
    assert!(Listener::from_fd(a.into()).is_err());
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    assert!(Listener::from_fd(tcp.into()).is_err());
    assert!(Listener::from_fd(std::fs::File::open("/dev/null").unwrap().into()).is_err());
}

#[tokio::test]
async fn another_user_is_disconnected_without_being_read() {
    let daemon = Daemon::start(RpcLimits::default(), uid() + 1);
    let mut stream = daemon.connect().await;
    // Writing may fail with EPIPE.
    let _written = stream.get_mut().write_all(ECHO).await;
    let mut text = String::new();
    let read = timeout(PATIENCE, stream.read_to_string(&mut text))
        .await
        .expect("an end");
    assert!(text.is_empty() && !matches!(read, Ok(1..)));
}

#[tokio::test]
async fn a_connection_above_the_limit_gets_an_error_until_another_ends() {
    let daemon = Daemon::start(
        RpcLimits {
            connections: 2,
            ..RpcLimits::default()
        },
        uid(),
    );
    let mut first = daemon.connect().await;
    let mut second = daemon.connect().await;
    ask(&mut first, ECHO).await;
    ask(&mut second, ECHO).await;
    let mut third = daemon.connect().await;
    let refusal = read(&mut third).await;
    assert_eq!(
        (code(&refusal), &refusal["id"]),
        ("overloaded", &Value::Null)
    );
    assert_eq!(third.read(&mut [0]).await.unwrap(), 0);
    ask(&mut first, ECHO).await;
    // The daemon closes its side when the connection has ended.
    first.get_mut().shutdown().await.unwrap();
    assert_eq!(first.read(&mut [0]).await.unwrap(), 0);
    loop {
        let mut fourth = daemon.connect().await;
        // A refused client may fail to write; its read shows the refusal.
        let _written = fourth.get_mut().write_all(ECHO).await;
        let reply = read(&mut fourth).await;
        if reply["result"].is_object() {
            break;
        }
        assert_eq!(code(&reply), "overloaded");
    }
}

#[tokio::test]
async fn a_reply_in_flight_survives_the_shutdown() {
    let daemon = Daemon::start(RpcLimits::default(), uid());
    let mut stream = daemon.connect().await;
    let slow = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"slow\"}\n";
    stream.get_mut().write_all(slow).await.unwrap();
    daemon.probe.until(&daemon.probe.begun, 1).await;
    daemon.shutdown.cancel();
    daemon.probe.gate.add_permits(1);
    assert!(read(&mut stream).await["result"].is_object());
    assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
    daemon.served.await.unwrap();
    assert!(!socket(&daemon.directory).exists());
}

#[tokio::test]
async fn received_descriptors_are_closed() {
    let daemon = Daemon::start(RpcLimits::default(), uid());
    let mut stream = daemon.connect().await;
    ask(&mut stream, ECHO).await;
    let (sent, mut other) = std::os::unix::net::UnixStream::pair().unwrap();
    for _ in 0..50 {
        let fds = [sent.as_raw_fd()];
        let rights = [ControlMessage::ScmRights(&fds)];
        let raw = stream.get_ref().as_raw_fd();
        sendmsg::<()>(raw, &[IoSlice::new(ECHO)], &rights, MsgFlags::empty(), None).unwrap();
        assert!(read(&mut stream).await["result"].is_object());
    }
    drop(sent);
    // If the daemon had kept a copy of the descriptor, this would not see the end of file.
    let ended = tokio::task::spawn_blocking(move || std::io::Read::read(&mut other, &mut [0]));
    assert_eq!(ended.await.unwrap().unwrap(), 0);
}
