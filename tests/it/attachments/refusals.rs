//! Files that are refused as attachments, and that nothing is sent then.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use scorel_proto::{ErrorCode, Phase};
use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};

use super::Desk;
use crate::under_test::session;

const KIB: usize = 1024;

fn configured(daemon: DaemonUnderTest) -> DaemonUnderTest {
    // Places of credentials are below the user's home.
    let home = daemon.project().to_str().unwrap().to_owned();
    daemon.configure_more(
        "[permissions]\nmode = \"full\"\ndeny = [\"Read(secrets/**)\", \"Read(*.pem)\"]\n\
         ask = [\"Read(asked.txt)\"]\n[tools]\nhidden = [\"~/hidden.txt\"]\n",
    );
    daemon.with_variable("HOME", &home)
}

fn prepare(desk: &Desk) {
    let project = desk.daemon.project();
    for dir in ["dir", "secrets", ".ssh"] {
        std::fs::create_dir_all(project.join(dir)).unwrap();
    }
    for path in [
        "secrets/key",
        "a.pem",
        ".ssh/id_rsa",
        "hidden.txt",
        "asked.txt",
        "ok.txt",
    ] {
        desk.write(path, "text\n");
    }
    std::fs::write(desk.daemon.root().join("outside.txt"), "text\n").unwrap();
    for (link, target) in [
        ("out", "../outside.txt"),
        ("up", ".."),
        ("to_secret", "secrets/key"),
        ("loop", "loop"),
        ("dangling", "nothing"),
        ("home", "../home"),
    ] {
        symlink(target, project.join(link)).unwrap();
    }
    let made = Command::new("mkfifo").arg(project.join("fifo")).status();
    assert!(made.unwrap().success());
    desk.write("large.txt", "x".repeat(256 * KIB + 1));
    desk.write("huge.txt", "x".repeat(4096 * KIB));
    desk.write("largest.txt", "x".repeat(256 * KIB));
    desk.write("binary", b"\0\x01\x02");
    desk.write("a.zip", b"PK\x03\x04\0\0");
    desk.write("a.pdf", b"%PDF-1.4\n%\xff\xff\xff\xff\0\n");
    desk.write("cut.png", b"\x89PNG\r\n\x1a\n\0\0\0\x0d");
    desk.write(
        "wide.gif",
        b"GIF89a\x41\x9c\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0;",
    );
}

#[tokio::test]
async fn a_file_that_cannot_be_attached_is_named_and_nothing_is_sent() {
    let desk = Desk::with(configured).await;
    prepare(&desk);
    let _socket = UnixListener::bind(desk.daemon.project().join("socket")).unwrap();
    let outside = desk.daemon.root().join("outside.txt");
    let config = desk.daemon.home().join("config.toml");
    let long = "x".repeat(300);
    for (path, kind) in [
        ("missing.txt", "not_found"),
        ("ok.txt/below", "not_found"),
        ("dangling", "not_found"),
        ("dir", "directory"),
        (".", "directory"),
        ("fifo", "not_a_file"),
        ("socket", "not_a_file"),
        (outside.to_str().unwrap(), "outside"),
        ("../outside.txt", "outside"),
        ("out", "outside"),
        ("up/outside.txt", "outside"),
        ("/etc/passwd", "outside"),
        ("/proc/self/environ", "outside"),
        (config.to_str().unwrap(), "outside"),
        ("home/config.toml", "outside"),
        ("loop", "outside"),
        ("secrets/key", "denied"),
        ("./dir/../secrets/key", "denied"),
        ("to_secret", "denied"),
        ("a.pem", "denied"),
        (".ssh/id_rsa", "denied"),
        ("hidden.txt", "denied"),
        ("large.txt", "too_large"),
        ("huge.txt", "too_large"),
        ("wide.gif", "too_large"),
        ("binary", "binary"),
        ("a.zip", "binary"),
        ("a.pdf", "binary"),
        ("cut.png", "binary"),
        ("", "invalid_path"),
        ("a\0b", "invalid_path"),
        (long.as_str(), "invalid_path"),
    ] {
        let error = desk.attach(&["ok.txt", path]).await.unwrap_err();
        let seen = (error.code, &error.details["path"], &error.details["kind"]);
        let expected = (ErrorCode::AttachmentRefused, &json!(path), &json!(kind));
        assert_eq!(seen, expected, "{error:?}");
        assert!(error.message.starts_with(path), "{}", error.message);
    }
    let now = session(&desk.client, desk.id).await;
    assert_eq!((now.phase, now.active_leaf_id), (Phase::Idle, None));
    assert!(desk.messages().is_empty(), "nothing was sent");
    assert!(desk.model.requests().is_empty());
}

#[tokio::test]
async fn limits_are_inclusive() {
    let desk = Desk::with(configured).await;
    prepare(&desk);
    let refused = |answer: Result<_, scorel_proto::RpcError>| -> Value {
        answer
            .map(|_: scorel_proto::SendMessageResult| ())
            .unwrap_err()
            .details
    };
    let many = ["ok.txt"; 17];
    let details = refused(desk.attach(&many).await);
    assert_eq!(
        details,
        json!({"path": "ok.txt", "kind": "too_many", "limit": 16})
    );
    let texts = [
        "largest.txt",
        "largest.txt",
        "largest.txt",
        "largest.txt",
        "ok.txt",
    ];
    let details = refused(desk.attach(&texts).await);
    let expected = json!({"path": "ok.txt", "kind": "too_large", "limit": 1024 * KIB});
    assert_eq!(details, expected);
    let details = refused(desk.attach(&["large.txt"]).await);
    let expected = json!({"path": "large.txt", "kind": "too_large", "limit": 256 * KIB});
    assert_eq!(details, expected);
    desk.attach(&texts[..4]).await.unwrap();
    desk.attach(&many[..16]).await.unwrap();
    // The user has decided about it by attaching it.
    desk.attach(&["asked.txt"]).await.unwrap();
}
