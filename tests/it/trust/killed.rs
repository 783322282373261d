//! `kill -9` while an item is copied: it is trusted whole, or not at all.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};

use scorel_client::Connection;
use scorel_proto::{
    GetTrust, GetTrustParams, ProjectId, RegisterProject, RegisterProjectParams, SetTrust,
    SetTrustParams, TrustItem, TrustState, TrustedItem,
};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat, Strace};

use super::{turn, write_files};
use crate::under_test::{SCORELD, connect, scorelctl};

const ITEM: &str = "extension:plug";

/// Calls that `setTrust` makes, with the file of each below `store`, in their order. `NEW` is the copy that is made; behind
/// the last one `trust.json` is written.
const POINTS: [(&str, &str); 7] = [
    ("mkdir", "NEW"),
    ("openat", "NEW/hooks/hooks.json"),
    ("write", "NEW/hooks/hooks.json"),
    ("fsync", "NEW/notes.txt"),
    ("fsync", "NEW"),
    ("rename", "NEW"),
    ("fsync", "."),
];

/// A project with a plugin whose hook leaves a mark at each prompt.
fn bring(daemon: &DaemonUnderTest, notes: &str) {
    let hook = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command",
        "command": "cat \"${CLAUDE_PLUGIN_ROOT}/notes.txt\" > \"$CLAUDE_PROJECT_DIR/ran\""}]}]}}"#;
    let files = [
        (
            ".scorel/extensions/plug/.claude-plugin/plugin.json",
            r#"{"name": "plug", "version": "1.0.0"}"#,
        ),
        (".scorel/extensions/plug/hooks/hooks.json", hook),
        (".scorel/extensions/plug/notes.txt", notes),
    ];
    write_files(daemon, &files);
}

async fn register(client: &Connection, daemon: &DaemonUnderTest) -> ProjectId {
    let params = RegisterProjectParams {
        work_dir: daemon.project().to_str().unwrap().to_owned(),
        display_name: None,
        command_id: None,
    };
    let registered = client.call::<RegisterProject>(&params).await.unwrap();
    registered.project.project_id
}

async fn item(client: &Connection, project_id: ProjectId) -> TrustItem {
    let listed = client
        .call::<GetTrust>(&GetTrustParams { project_id })
        .await;
    let mut items = listed.unwrap().items.into_iter();
    items.find(|it| it.item == ITEM).unwrap()
}

fn trusting(project_id: ProjectId, item: &TrustItem) -> SetTrustParams {
    let item = TrustedItem {
        item: ITEM.to_owned(),
        digest: item.digest.clone(),
    };
    SetTrustParams {
        project_id,
        items: vec![item],
        trusted: true,
    }
}

/// The content of the store, by name.
fn stored(store: &Path) -> Vec<String> {
    let entries = fs::read_dir(store).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

fn unfinished(store: &Path) -> usize {
    let names = stored(store);
    names.iter().filter(|name| name.ends_with(".new")).count()
}

/// Kills a daemon in front of a call on a file while it copies the item.
async fn kill_at(daemon: &mut DaemonUnderTest, call: &str, file: &Path) {
    let options = [
        "-P".to_owned(),
        file.display().to_string(),
        "-e".to_owned(),
        format!("inject={call}:signal=KILL:when=1"),
    ];
    let strace = Strace::new(daemon.root(), &options);
    daemon.run_under(strace.command());
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let project = register(&client, daemon).await;
    let found = item(&client, project).await;
    let told = client.call::<SetTrust>(&trusting(project, &found)).await;
    assert!(
        told.is_err(),
        "{call} {}: it was not killed",
        file.display()
    );
    let status = daemon.wait().await;
    assert_eq!(
        status.signal(),
        Some(9),
        "{call} {}: {status:?}",
        file.display()
    );
    daemon.run_under(Vec::new());
    strace.finish();
}

#[tokio::test]
async fn killed_while_it_copies_an_item_a_daemon_trusts_all_of_it_or_nothing() {
    if let Some(reason) = Strace::unavailable() {
        println!("skipped: {reason}");
        return;
    }
    let model = ModelServer::start().await.unwrap();
    model.fallback(
        ScriptedChat::default()
            .text("done")
            .finish("stop")
            .usage(1, 1),
    );
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    let store = daemon.home().join("store");
    let mark = daemon.project().join("ran");
    bring(&daemon, "");
    daemon.spawn().await;
    let mut digest = String::new();
    for (round, (call, file)) in POINTS.into_iter().enumerate() {
        let notes = format!("round {round}");
        bring(&daemon, &notes);
        let client = connect(&daemon.socket()).await;
        let project = register(&client, &daemon).await;
        digest = item(&client, project).await.digest.unwrap();
        daemon.kill().await;
        let copy: PathBuf = store.join(file.replace("NEW", &format!(".{digest}.new")));
        kill_at(&mut daemon, call, &copy).await;

        daemon.spawn().await;
        let client = connect(&daemon.socket()).await;
        let found = item(&client, project).await;
        assert_ne!(found.state, TrustState::Trusted, "{call} {file}");
        assert!(
            unfinished(&store) <= 1,
            "{call} {file}: {:?}",
            stored(&store)
        );
        turn(&daemon).await;
        assert!(!mark.exists(), "{call} {file}: it has run");

        let params = trusting(project, &found);
        client.call::<SetTrust>(&params).await.unwrap();
        assert_eq!(item(&client, project).await.state, TrustState::Trusted);
        turn(&daemon).await;
        assert_eq!(fs::read_to_string(&mark).unwrap(), notes, "{call} {file}");
        fs::remove_file(&mark).unwrap();
        assert_eq!(unfinished(&store), 0, "{call} {file}: {:?}", stored(&store));
    }

    // A copy that is never finished, since the item has changed: `gc` removes it with those that nothing trusts.
    bring(&daemon, "never");
    let client = connect(&daemon.socket()).await;
    let project = register(&client, &daemon).await;
    let last = item(&client, project).await.digest.unwrap();
    daemon.kill().await;
    kill_at(&mut daemon, "rename", &store.join(format!(".{last}.new"))).await;
    daemon.spawn().await;
    assert_eq!(unfinished(&store), 1);
    let removed = scorelctl(&daemon, &["gc", "--apply"], &[]).await;
    assert!(removed.status.success(), "{removed:?}");
    assert_eq!(stored(&store), [digest]);
}
