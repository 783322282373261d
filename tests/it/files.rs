//! Recording and restoring the files of a project, over the real programs.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Output;

use scorel_client::Connection;
use scorel_proto::{
    ErrorCode, EventId, OnConflict, PreviewRestore, PreviewRestoreParams, RestoreAction,
    RestoreFiles, RestoreFilesParams, RestoreFilesResult, RestoreScope, SessionId,
};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};

use crate::under_test::{SCORELD, Watch, has_sandbox, new_session, scorelctl, send, session};

mod cancels;
mod kills;
mod kinds;
mod moves;
mod unwatched;

/// Nothing is asked about.
const FULL: &str = "\n[permissions]\nmode = \"full\"\nbuiltinAsk = []\n";

/// One call of the model.
pub(crate) struct Call(&'static str, Value);

/// A session in which the model has made calls, each in a turn of its own.
pub(crate) struct Scene {
    pub(crate) daemon: DaemonUnderTest,
    model: ModelServer,
    pub(crate) client: Connection,
    pub(crate) id: SessionId,
}

impl Scene {
    pub(crate) async fn new(prepare: impl FnOnce(&Path)) -> Self {
        let model = ModelServer::start().await.unwrap();
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        let file = daemon.home().join("config.toml");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(file, format!("{text}{FULL}")).unwrap();
        prepare(&daemon.project());
        daemon.spawn().await;
        let (client, id) = new_session(&daemon).await;
        Self {
            daemon,
            model,
            client,
            id,
        }
    }

    /// A turn in which the model makes these calls.
    pub(crate) async fn turn(&self, calls: &[Call]) {
        let last = session(&self.client, self.id).await.last_persistent_seq;
        let mut watch = Watch::from(&self.client, self.id, Some(last.get()), None).await;
        self.begin(calls).await;
        watch.until("turn_outcome").await;
    }

    /// Begins such a turn.
    pub(crate) async fn begin(&self, calls: &[Call]) {
        for (number, Call(tool, input)) in calls.iter().enumerate() {
            let call = ScriptedChat::default()
                .tool_call(&format!("call_{number}"), tool, &input.to_string())
                .finish("tool_calls");
            self.model.answer(call);
        }
        self.model
            .answer(ScriptedChat::default().text("Done.").finish("stop"));
        send(&self.client, self.id, "Do it.").await;
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.daemon.project().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn log(&self) -> Vec<Value> {
        self.daemon.log(&self.id.to_string())
    }

    /// The id of the first record for which `is_it` holds.
    pub(crate) fn event(&self, is_it: impl Fn(&Value) -> bool) -> EventId {
        let log = self.log();
        let found = log.iter().find(|line| is_it(line)).unwrap();
        found["id"].as_str().unwrap().parse().unwrap()
    }

    pub(crate) fn first(&self) -> EventId {
        self.event(|line| line["message"]["role"] == "user")
    }

    pub(crate) fn params(&self, before: EventId, scope: RestoreScope) -> RestoreFilesParams {
        RestoreFilesParams {
            session_id: self.id,
            before_event_id: before,
            scope: Some(scope),
            on_conflict: None,
            command_id: None,
        }
    }

    pub(crate) async fn restore(&self, before: EventId, scope: RestoreScope) -> RestoreFilesResult {
        let params = self.params(before, scope);
        self.client.call::<RestoreFiles>(&params).await.unwrap()
    }

    async fn preview(&self, scope: RestoreScope) -> Vec<(String, RestoreAction)> {
        let params = PreviewRestoreParams {
            session_id: self.id,
            before_event_id: Some(self.first()),
            target_event_id: None,
            scope: Some(scope),
        };
        let preview = self.client.call::<PreviewRestore>(&params).await.unwrap();
        let entry = |entry: scorel_proto::RestoreEntry| (entry.path.to_string(), entry.action);
        preview.files.into_iter().map(entry).collect()
    }

    async fn ctl(&self, arguments: &[&str]) -> Output {
        scorelctl(&self.daemon, arguments, &[]).await
    }
}

fn write(path: &str, content: &str) -> Call {
    Call("Write", json!({ "path": path, "content": content }))
}

pub(crate) fn bash(command: &str) -> Call {
    Call("Bash", json!({ "command": command }))
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap() + &String::from_utf8_lossy(&output.stderr)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_tools_change_is_recorded_and_comes_back() {
    let scene = Scene::new(|project| {
        fs::write(project.join("edited"), "one\r\ntwo\r\n").unwrap();
        fs::set_permissions(project.join("edited"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(project.join("other"), "other").unwrap();
    })
    .await;
    let untouched = scene.path("other").metadata().unwrap().mtime_nsec();
    let edit = json!({ "path": "edited", "edits": [{ "oldString": "two", "newString": "2" }] });
    scene
        .turn(&[
            Call("Read", json!({ "path": "edited" })),
            Call("Edit", edit),
            write("dir/new", "new\n"),
        ])
        .await;
    assert_eq!(scene.read("edited"), "one\r\n2\r\n");

    let log = scene.log();
    let mut started = log.iter().filter(|line| line["type"] == "tool_started");
    assert_eq!(
        started.next().unwrap()["files"],
        Value::Null,
        "reading changes nothing"
    );
    let before = &started.next().unwrap()["files"][0];
    let changes: Vec<&Value> = log.iter().filter_map(|line| line.get("files")).collect();
    let edited = changes
        .iter()
        .find(|files| files[0].get("after").is_some())
        .unwrap();
    assert_eq!(edited[0]["path"], "edited");
    assert_eq!(edited[0]["by"], "tool");
    assert_eq!(edited[0]["before"], before["before"]);
    assert_eq!(edited[0]["after"]["mode"], "0755");

    let preview = scene.preview(RestoreScope::Tools).await;
    let expected = [
        ("dir/new".to_owned(), RestoreAction::Delete),
        ("edited".to_owned(), RestoreAction::Write),
    ];
    assert_eq!(preview, expected);
    let restored = scene.restore(scene.first(), RestoreScope::Tools).await;
    assert_eq!((restored.restored, restored.failed.len()), (2, 0));
    assert_eq!(scene.read("edited"), "one\r\ntwo\r\n");
    let mode = scene.path("edited").metadata().unwrap().mode() & 0o777;
    assert_eq!(mode, 0o755);
    assert!(!scene.path("dir").exists());
    // Undo, and undo of that.
    let redone = scene.restore(restored.event_id, RestoreScope::Tools).await;
    assert_eq!(scene.read("edited"), "one\r\n2\r\n");
    assert_eq!(scene.read("dir/new"), "new\n");
    scene.restore(redone.event_id, RestoreScope::Tools).await;
    assert_eq!(scene.read("edited"), "one\r\ntwo\r\n");
    assert!(!scene.path("dir").exists());
    assert_eq!(
        scene.path("other").metadata().unwrap().mtime_nsec(),
        untouched
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_commands_change_comes_back_only_if_it_is_asked_for() {
    if !has_sandbox() {
        return;
    }
    let scene = Scene::new(|project| {
        for name in ["a", "b", "c"] {
            fs::write(project.join(name), name).unwrap();
        }
    })
    .await;
    scene.turn(&[write("tool", "tool\n")]).await;
    scene
        .turn(&[bash("sed -i s/a/A/ a; mv b B; cat > d <<END\nd\nEND\nrm c")])
        .await;
    let tools = scene.preview(RestoreScope::Tools).await;
    assert_eq!(tools, [("tool".to_owned(), RestoreAction::Delete)]);
    let undone = scene.ctl(&["files", "restore", "--all"]).await;
    assert_eq!(text(&undone), "5 files restored\n");
    for name in ["a", "b", "c"] {
        assert_eq!(scene.read(name), name);
    }
    assert!(!scene.path("B").exists() && !scene.path("d").exists());
    assert_eq!(scene.read("tool"), "tool\n", "another turn wrote it");
    let again = scene.ctl(&["files", "undo"]).await;
    assert_eq!(text(&again), "5 files restored\n");
    assert_eq!((scene.read("a"), scene.read("B")), ("A".into(), "b".into()));
    let listed = text(&scene.ctl(&["files"]).await);
    assert!(listed.contains("tool     A  tool\n"), "{listed}");
    assert!(listed.contains("command  D  c\n"), "{listed}");
    assert!(listed.contains("restore  A  c\n"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_refuses_everything_or_is_skipped() {
    let scene = Scene::new(|_| {}).await;
    scene.turn(&[write("a", "a\n"), write("b", "b\n")]).await;
    fs::write(scene.path("a"), "by an editor").unwrap();
    let params = scene.params(scene.first(), RestoreScope::Tools);
    let refused = scene
        .client
        .call::<RestoreFiles>(&params)
        .await
        .unwrap_err();
    let scorel_client::ClientError::Rpc(error) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(error.code, ErrorCode::Conflict);
    assert_eq!(error.details["kind"], "files");
    assert_eq!(error.details["paths"], json!(["a"]));
    assert_eq!(scene.read("b"), "b\n");
    assert!(
        !scene
            .log()
            .iter()
            .any(|line| line["type"] == "files_restore")
    );
    let params = RestoreFilesParams {
        on_conflict: Some(OnConflict::Skip),
        ..params
    };
    let restored = scene.client.call::<RestoreFiles>(&params).await.unwrap();
    assert_eq!(restored.restored, 1);
    assert_eq!(scene.read("a"), "by an editor");
    assert!(!scene.path("b").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_restore_is_one_restore() {
    let scene = Scene::new(|_| {}).await;
    scene.turn(&[write("a", "a\n")]).await;
    let client = scorel_proto::HelloParams {
        client_id: Some(scorel_proto::ClientId::generate()),
        name: None,
        protocol: scorel_proto::ProtocolRange::SUPPORTED,
    };
    scene
        .client
        .call::<scorel_proto::Hello>(&client)
        .await
        .unwrap();
    let params = RestoreFilesParams {
        command_id: Some("once".parse().unwrap()),
        ..scene.params(scene.first(), RestoreScope::Tools)
    };
    let first = scene.client.call::<RestoreFiles>(&params).await.unwrap();
    fs::write(scene.path("a"), "a\n").unwrap();
    let second = scene.client.call::<RestoreFiles>(&params).await.unwrap();
    assert_eq!(first, second);
    assert_eq!(scene.read("a"), "a\n", "nothing was restored again");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_the_session_does_not_have_restores_nothing() {
    let scene = Scene::new(|_| {}).await;
    scene.turn(&[write("a", "a\n")]).await;
    let params = scene.params(EventId::generate(), RestoreScope::Tools);
    let refused = scene
        .client
        .call::<RestoreFiles>(&params)
        .await
        .unwrap_err();
    let scorel_client::ClientError::Rpc(error) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(error.code, ErrorCode::InvalidEventId);
    let nothing = scene.ctl(&["files", "undo"]).await;
    assert_eq!(nothing.status.code(), Some(3), "{}", text(&nothing));
}
