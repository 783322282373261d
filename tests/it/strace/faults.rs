//! Runs the script with one failing system call.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use scorel_client::{ClientError, Connection};
use scorel_proto::ErrorCode;
use scorel_testkit::{DaemonUnderTest, SeededDice, Sightings, Strace, runs};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::kills::{CallPoint, points_of_files};
use super::script::{call, scripted, until_idle};
use super::{AT_ONCE, spread, strace_works};
use crate::under_test::connect;

/// The time limit for one run.
const PATIENCE: Duration = Duration::from_secs(600);

/// The error to inject.
const ERRORS: [(&str, &[&str]); 7] = [
    ("write", &["EIO", "ENOSPC", "EDQUOT", "EINTR"]),
    ("fdatasync", &["EIO", "ENOSPC", "EINTR"]),
    ("fsync", &["EIO"]),
    ("ftruncate", &["EIO", "EINTR"]),
    ("openat", &["EIO", "EMFILE", "EACCES", "ENOSPC", "EINTR"]),
    ("rename", &["EIO", "ENOSPC"]),
    ("unlink", &["EIO"]),
];

/// The errors that a client may get for it.
const TYPED: [ErrorCode; 4] = [
    // Too many open files.
    ErrorCode::Overloaded,
    ErrorCode::StorageStalled,
    ErrorCode::SessionFailed,
    ErrorCode::FilesystemError,
];

type InjectedFault = (CallPoint, &'static str);

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_call_is_a_typed_error_and_loses_nothing_acknowledged() {
    if !strace_works() {
        return;
    }
    let mut dice = SeededDice::for_test("strace_faults");
    let points = points_of_files().await;
    let faults = points.iter().flat_map(|point| {
        let errors = ERRORS.iter().find(|(call, _)| *call == point.call);
        let errors = errors.map_or(&[][..], |(_, errors)| errors);
        errors.iter().map(|error| (*point, *error))
    });
    let faults: Vec<InjectedFault> = faults.collect();
    let all = faults.len();
    let kind = |(point, error): &InjectedFault| (point.file, point.call, *error);
    let faults = spread(faults, runs("SCOREL_FAULTS", 20), &mut dice, kind);
    let count = faults.len();
    let runs = faults.into_iter().map(|fault| async move {
        let told = timeout(PATIENCE, fail_at(fault)).await;
        told.unwrap_or_else(|_| panic!("{fault:?} takes too long"))
    });
    let mut runs = stream::iter(runs).buffer_unordered(AT_ONCE);
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(outcome) = runs.next().await {
        *told.entry(outcome).or_default() += 1;
    }
    println!("strace_faults: {count} of {all} calls failed; told {told:?}");
}

/// Runs the script on a daemon with the fault, then on one without. Returns the errors that the
/// client got.
async fn fail_at(fault: InjectedFault) -> String {
    let (CallPoint { call, file, count }, error) = fault;
    let (mut daemon, _model, mut script) = scripted().await;
    daemon.spawn().await;
    let (_, project) = script.begin(&daemon.socket()).await.unwrap();
    daemon.kill().await;
    let file = file.expect("the points of files have one");
    let options = [
        "-e".to_owned(),
        format!("inject={call}:error={error}:when={count}"),
        "-P".to_owned(),
        script.path(&daemon, file).display().to_string(),
    ];
    let strace = Strace::new(daemon.root(), &options);
    daemon.run_under(strace.command());
    let told = match daemon.try_spawn().await {
        Err(status) => {
            assert!(status.code().is_some(), "{fault:?}: {status}");
            "the daemon did not start".to_owned()
        }
        Ok(()) => {
            let told = match script.run(&daemon.socket()).await {
                Ok(()) => "nothing".to_owned(),
                Err(ClientError::Rpc(error)) if TYPED.contains(&error.code) => {
                    format!("{:?}", error.code)
                }
                Err(ClientError::Protocol(_)) => "the session ended".to_owned(),
                Err(error) => panic!("{fault:?}: {error:?}: {}", daemon.errors()),
            };
            others_go_on(&daemon, &project).await;
            daemon.kill().await;
            told
        }
    };
    drop(strace.finish());
    let errors = daemon.errors();
    assert!(!errors.contains("panicked"), "{fault:?}: {errors}");
    if error == "EINTR" {
        assert_eq!(told, "nothing", "{fault:?}: {errors}");
    }
    daemon.run_under(Vec::new());
    daemon.spawn().await;
    script
        .run(&daemon.socket())
        .await
        .unwrap_or_else(|error| panic!("{fault:?}: {error:?}"));
    daemon.stop().await;
    script.check(&daemon);
    told
}

/// Checks that another session can be created and used.
async fn others_go_on(daemon: &DaemonUnderTest, project: &Value) {
    let client = connect(&daemon.socket()).await;
    let create = json!({"projectId": project, "title": "other"});
    let other = accepted(&client, "createSession", &create).await["sessionId"].clone();
    let send = json!({"sessionId": other, "content": "and you?"});
    accepted(&client, "sendMessage", &send).await;
    until_idle(&client, &other, &mut Sightings::default())
        .await
        .unwrap();
    let delete = json!({"sessionId": other});
    accepted(&client, "deleteSession", &delete).await;
}

/// Retries until there is room: the fault applies to one call.
async fn accepted(client: &Connection, method: &str, params: &Value) -> Value {
    loop {
        match call(client, method, params).await {
            Ok(answer) => return answer,
            Err(ClientError::Rpc(error)) if error.code == ErrorCode::StorageStalled => {}
            Err(error) => panic!("{method}: {error:?}"),
        }
    }
}
