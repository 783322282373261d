use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;

use crate::daemon::{TestHome, ended};

fn modes(dir: &Path, found: &mut Vec<(String, u32, bool)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        // A file that is being replaced has another name for a moment.
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let name = entry.file_name().into_string().unwrap();
        found.push((
            name,
            metadata.permissions().mode() & 0o777,
            metadata.is_dir(),
        ));
        if metadata.is_dir() {
            modes(&entry.path(), found);
        }
    }
}

#[test]
fn nothing_is_for_other_users_whatever_the_umask() {
    for umask in ["000", "022", "077", "177"] {
        let place = TestHome::new();
        let _daemon = place.start_with(&mut place.command_after(&format!("umask {umask}")));
        let mut found = Vec::new();
        modes(place.dir.path(), &mut found);
        found.retain(|(name, ..)| name != "notify");
        for (name, mode, is_dir) in &found {
            let expected = if *is_dir { 0o700 } else { 0o600 };
            assert_eq!(*mode, expected, "{name} under umask {umask}");
        }
        let names: Vec<_> = found.iter().map(|(name, ..)| name.as_str()).collect();
        for name in [
            "scoreld.sock",
            "scoreld.lock",
            "device.json",
            "daemon.json",
            "logs",
        ] {
            assert!(names.contains(&name), "{name} is missing in {names:?}");
        }
        assert!(
            names.iter().any(|name| name.starts_with("scoreld.log.")),
            "{names:?}"
        );
    }
}

#[test]
fn invalid_files_are_named_and_left_alone() {
    let cases = [
        ("device.json", "{", "device.json is damaged"),
        ("projects.json", "[]", "projects.json is damaged"),
        (
            "config.toml",
            "[modle]\n",
            "config.toml:1:2: unknown section or key `modle`; did you mean `model`?",
        ),
    ];
    for (name, text, message) in cases {
        let place = TestHome::new();
        place.write(name, text);
        let (code, stderr) = ended(&place.run(&[]));
        assert_eq!(code, Some(78), "{stderr}");
        assert!(stderr.contains(message), "{stderr}");
        assert_eq!(fs::read_to_string(place.path(name)).unwrap(), text);
        assert!(!place.path("scoreld.sock").exists());
    }
}

#[test]
fn other_files_are_not_replaced_by_the_socket() {
    let place = TestHome::new();
    place.write("kept", "kept");
    let socket = place.path("scoreld.sock");
    let refused = || {
        let (code, stderr) = ended(&place.run(&[]));
        assert_eq!(code, Some(74), "{stderr}");
        assert!(stderr.contains("scoreld.sock"), "{stderr}");
    };
    fs::write(&socket, "kept").unwrap();
    refused();
    assert_eq!(fs::read_to_string(&socket).unwrap(), "kept");
    fs::remove_file(&socket).unwrap();
    symlink(place.path("kept"), &socket).unwrap();
    refused();
    assert_eq!(fs::read_to_string(&socket).unwrap(), "kept");
    fs::remove_file(&socket).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&socket)
            .status()
            .unwrap()
            .success()
    );
    refused();
    fs::remove_file(&socket).unwrap();
    fs::create_dir(&socket).unwrap();
    refused();
    assert!(socket.is_dir());
}

#[test]
fn a_home_that_others_can_change_is_refused_with_the_fix() {
    let place = TestHome::new();
    place.write("config.toml", "");
    fs::set_permissions(place.home(), fs::Permissions::from_mode(0o777)).unwrap();
    let (code, stderr) = ended(&place.run(&[]));
    assert_eq!(code, Some(78));
    assert!(stderr.contains("chmod 700"), "{stderr}");
}

#[test]
fn a_long_home_has_its_socket_in_the_runtime_directory() {
    let place = TestHome::new();
    let runtime = place.dir.path().join("run");
    fs::create_dir(&runtime).unwrap();
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o700)).unwrap();
    let long = place.dir.path().join("h".repeat(120));
    let mut command = place.command();
    command
        .arg("--home")
        .arg(&long)
        .env("XDG_RUNTIME_DIR", &runtime);
    let _daemon = place.start_with(&mut command);
    let sockets: Vec<_> = fs::read_dir(&runtime)
        .unwrap()
        .map(|entry| entry.unwrap())
        .collect();
    assert_eq!(sockets.len(), 1);
    let name = sockets[0].file_name().into_string().unwrap();
    assert!(
        name.starts_with("scorel-") && name.ends_with(".sock"),
        "{name}"
    );
    UnixStream::connect(sockets[0].path()).unwrap();
}
