use std::ffi::OsStr;
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use super::*;

/// The time for a message before the test is given up.
const PATIENCE: Duration = Duration::from_secs(60);

fn received(socket: &UnixDatagram) -> String {
    let mut buffer = [0; 512];
    let len = socket.recv(&mut buffer).unwrap();
    String::from_utf8(buffer[..len].to_vec()).unwrap()
}

fn manager_at_a_path() -> (tempfile::TempDir, UnixDatagram, ServiceManager) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    (dir, socket, ServiceManager::at(Some(path.into())))
}

#[test]
fn the_manager_hears_each_state_in_one_message() {
    let (_dir, socket, manager) = manager_at_a_path();
    manager.starting("waiting", Duration::from_secs(30));
    assert_eq!(
        received(&socket),
        "STATUS=waiting\nEXTEND_TIMEOUT_USEC=30000000\n"
    );
    manager.ready("listening on /x\nREADY=0");
    manager.stopping("draining", Duration::from_secs(41));
    assert_eq!(
        received(&socket),
        "READY=1\nSTATUS=listening on /x READY=0\n"
    );
    assert_eq!(
        received(&socket),
        "STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=41000000\n"
    );
}

#[test]
fn a_manager_that_is_behind_with_reading_misses_no_state() {
    let (_dir, socket, manager) = manager_at_a_path();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let (other, address) = (
        UnixDatagram::unbound().unwrap(),
        socket.local_addr().unwrap(),
    );
    other.set_nonblocking(true).unwrap();
    while other.send_to_addr(b"waiting", &address).is_ok() {}
    manager.ready("up");
    manager.stopping("draining", Duration::from_secs(1));
    let states = std::iter::repeat_with(|| received(&socket));
    let states: Vec<_> = states
        .filter(|it| !it.contains("waiting"))
        .take(2)
        .collect();
    assert!(states[0].starts_with("READY=1\n"), "{states:?}");
    assert!(states[1].starts_with("STOPPING=1\n"), "{states:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_abstract_address_works_too() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::SocketAddr;

    let name = format!("scorel-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let socket = UnixDatagram::bind_addr(&address).unwrap();
    ServiceManager::at(Some(format!("@{name}").into())).ready("up");
    assert_eq!(received(&socket), "READY=1\nSTATUS=up\n");
}

#[test]
fn without_a_manager_nothing_happens() {
    for address in [None, Some(""), Some("relative"), Some("/no/such/socket")] {
        let manager = ServiceManager::at(address.map(|text| OsStr::new(text).to_owned()));
        manager.ready("up");
        assert!(manager.watchdog().is_none());
    }
}

#[test]
fn only_a_process_that_the_manager_started_itself_is_its_service() {
    let parent = |invocation: Option<&str>, pid: Option<String>| {
        is_parent(|name| match name {
            "INVOCATION_ID" => invocation.map(str::to_owned),
            _ => pid.clone(),
        })
    };
    let own = std::process::id().to_string();
    assert!(parent(Some("9f"), Some(own.clone())));
    assert!(!parent(Some("9f"), Some("1".into())), "a shell's terminal");
    assert!(!parent(Some("9f"), None));
    assert!(!parent(None, Some(own)));
}

#[test]
fn a_watchdog_for_another_process_is_not_ours() {
    let period = |usec: Option<&str>, pid: Option<String>| {
        watchdog::period(|name| match name {
            "WATCHDOG_USEC" => usec.map(str::to_owned),
            _ => pid.clone(),
        })
    };
    let own = std::process::id().to_string();
    let expected = Some(Duration::from_secs(30));
    assert_eq!(period(Some("30000000"), None), expected);
    assert_eq!(period(Some("30000000"), Some(own)), expected);
    assert_eq!(period(Some("30000000"), Some("1".into())), None);
    for invalid in [None, Some(""), Some("-1"), Some("0"), Some("soon")] {
        assert_eq!(period(invalid, None), None);
    }
}
