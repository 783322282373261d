//! A new program in place of the one that runs, with clients attached.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use scorel_client::{ClientAnchors, SessionStream, StreamItem};
use scorel_proto::{Event, GetStatus, NoParams, PersistentBody, SyncMarker, SyncMode};
use scorel_testkit::{CheckedLog, DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};

use tokio::time::timeout;

use crate::under_test::{Door, PATIENCE, SCORELD, new_session, scorelctl, send, session, title};

/// Copies the daemon's program in a child: a process that another test forks meanwhile would inherit a file
/// that is open for writing here, and a program in such a file cannot be executed.
fn copy_to(path: &Path) {
    let status = Command::new("cp").arg(SCORELD).arg(path).status().unwrap();
    assert!(status.success(), "{status:?}");
}

/// A copy of the daemon's program, as an installation.
fn installed(dir: &Path) -> PathBuf {
    let path = dir.join("scoreld");
    copy_to(&path);
    path
}

/// Puts another file in the program's place, as packages do.
fn upgrade(program: &Path) {
    let new = program.with_extension("new");
    copy_to(&new);
    fs::rename(new, program).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_is_told_and_a_restart_brings_all_clients_over() {
    let place = tempfile::tempdir().unwrap();
    let program = installed(place.path());
    let model = ModelServer::start().await.unwrap();
    let never = ResponseGate::new();
    model.answer(ScriptedChat::default().wait(&never).finish("stop"));
    model.fallback(ScriptedChat::default().text("Done.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(&program);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let executable = |status: scorel_proto::Status| status.executable.unwrap();
    let status = client.call::<GetStatus>(&NoParams {}).await.unwrap();
    assert!(!executable(status).changed);
    // A client of an empty session has nothing to resume from.
    title(&client, id, "upgrade").await;
    let known = session(&client, id).await;
    let anchors = ClientAnchors::new(known.last_persistent_seq, Some(known.current_seq));
    let mut streams = Vec::new();
    for _ in 0..3 {
        let link = Door(daemon.socket());
        streams.push(SessionStream::open(link, id, anchors).await.unwrap());
    }
    send(&client, id, "go").await;
    never.reached().await;

    upgrade(&program);
    let status = client.call::<GetStatus>(&NoParams {}).await.unwrap();
    assert!(executable(status).changed);
    let program = program.to_str().unwrap();
    let shown = scorelctl(&daemon, &["status"], &[("SCORELD", program)]).await;
    let notice = String::from_utf8(shown.stderr).unwrap();
    assert!(notice.contains("`scorelctl restart`"), "{notice}");
    let restarted = scorelctl(&daemon, &["restart"], &[("SCORELD", program)]).await;
    assert!(restarted.status.success(), "{restarted:?}");
    let shown = scorelctl(&daemon, &["status"], &[]).await;
    assert_eq!(String::from_utf8(shown.stderr).unwrap(), "");

    for stream in streams {
        let seen = timeout(PATIENCE, seen_to_the_end(stream)).await.unwrap();
        let log = CheckedLog::read(&daemon.log_path(&id.to_string())).unwrap();
        let after = log.records().iter().map(|record| record.seq);
        let after: Vec<u64> = after
            .filter(|seq| *seq > known.last_persistent_seq.get())
            .collect();
        assert_eq!(seen, after, "every record once");
        assert_eq!(log.outcomes().next().unwrap().1, "completed");
    }
    let stopped = scorelctl(&daemon, &["stop"], &[]).await;
    assert!(stopped.status.success(), "{stopped:?}");
}

/// The seqs of the records that a client gets, up to the outcome.
async fn seen_to_the_end(mut stream: SessionStream<Door>) -> Vec<u64> {
    let mut seen = Vec::new();
    loop {
        match stream.next().await.unwrap().expect("the stream goes on") {
            StreamItem::Event(_, Event::Persistent(event)) => {
                seen.push(event.seq.get());
                if matches!(event.body, PersistentBody::TurnOutcome(_)) {
                    return seen;
                }
            }
            StreamItem::Marker(marker) => {
                assert!(
                    !matches!(
                        &*marker,
                        SyncMarker::SyncStart {
                            mode: SyncMode::FullReload,
                            ..
                        }
                    ),
                    "{marker:?}"
                );
            }
            _ => {}
        }
    }
}
