//! Every kind of file and of change, in a repository, taken back with the conversation.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use scorel_proto::{RestoreScope, Rewind};
use scorel_testkit::Strace;
use serde_json::json;

use super::{Call, Scene, bash, text, write};
use crate::under_test::{connect, has_sandbox};

/// More than is kept.
const HUGE: usize = 8 * 1024 * 1024 + 1;

/// What the command changes, beside what tools do.
const SCRIPT: &str = "sed -i s/one/1/ crlf; rm deleted; mkdir -p made/deep; mv moved renamed
cat > made/deep/file <<END
made
END
chmod 0755 script; ln -sfn edited link; sed -i s/bad/other/ bad*
echo more >> huge; echo more > ignored/by-command";

/// A path's content or link, its mode and when it was changed.
type Found = (Vec<u8>, u32, (i64, i64));

fn prepare(project: &Path) {
    git(project, &["init", "-q"]);
    for (name, content) in [
        ("crlf", "one\r\ntwo\r\n"),
        ("edited", "one\r\ntwo\r\n"),
        ("deleted", "deleted"),
        ("moved", "moved"),
        ("script", "#!/bin/sh\n"),
        ("staged", "staged"),
        ("untouched", "untouched"),
        (".gitignore", "ignored/\n"),
    ] {
        fs::write(project.join(name), content).unwrap();
    }
    let bad = OsStr::from_bytes(b"bad\xff");
    fs::write(project.join(bad), "bad").unwrap();
    fs::write(project.join("huge"), vec![b'x'; HUGE]).unwrap();
    for directory in ["ignored", "real"] {
        fs::create_dir(project.join(directory)).unwrap();
    }
    symlink("real", project.join("linked")).unwrap();
    symlink("crlf", project.join("link")).unwrap();
    fs::set_permissions(project.join("edited"), Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(project.join("script"), Permissions::from_mode(0o644)).unwrap();
    git(project, &["add", "staged"]);
}

fn git(project: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    let ran = git.args(arguments).current_dir(project).status();
    assert!(ran.unwrap().success(), "{arguments:?}");
}

/// All files, those of git too.
fn snapshot(directory: &Path) -> BTreeMap<PathBuf, Found> {
    let mut files = BTreeMap::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let content = if metadata.is_dir() {
                directories.push(path);
                continue;
            } else if metadata.is_symlink() {
                fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            let changed = (metadata.mtime(), metadata.mtime_nsec());
            files.insert(path, (content, metadata.mode() & 0o777, changed));
        }
    }
    files
}

/// The same without the files that are never restored, and without times.
fn restorable(files: &BTreeMap<PathBuf, Found>) -> BTreeMap<&Path, (&[u8], u32)> {
    let never = ["huge", "by-command"].map(OsStr::new);
    let kept = files
        .iter()
        .filter(|(path, _)| !never.contains(&path.file_name().unwrap()));
    kept.map(|(path, (content, mode, _))| (path.as_path(), (content.as_slice(), *mode)))
        .collect()
}

fn modified(files: &BTreeMap<PathBuf, Found>) -> BTreeMap<&Path, (i64, i64)> {
    files
        .iter()
        .map(|(path, (_, _, changed))| (path.as_path(), *changed))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_change_comes_back_with_the_conversation_and_git_is_never_run() {
    if let Some(reason) = Strace::unavailable() {
        println!("skipped: {reason}");
        return;
    }
    if !has_sandbox() {
        return;
    }
    let mut scene = Scene::new(prepare).await;
    let project = scene.daemon.project();
    let before = snapshot(&project);
    let edit = json!({ "path": "edited", "edits": [{ "oldString": "two", "newString": "2" }] });
    let read = Call("Read", json!({ "path": "edited" }));
    scene
        .turn(&[
            read,
            Call("Edit", edit),
            write("new/file", "new\n"),
            write("linked/file", "through a link\n"),
            write("ignored/by-tool", "ignored, and yet named\n"),
            bash(SCRIPT),
        ])
        .await;
    let after = snapshot(&project);
    assert_eq!(after[&project.join("real/file")].0, b"through a link\n");
    assert_eq!(after[&project.join("edited")].0, b"one\r\n2\r\n");
    assert_eq!(after[&project.join("renamed")].0, b"moved");
    let preview = text(&scene.ctl(&["rewind", "--files=all", "--dry-run"]).await);
    assert!(preview.contains("unknown   huge\n"), "{preview}");

    scene.daemon.stop().await;
    let options = ["-e", "trace=execve"].map(str::to_owned);
    let strace = Strace::new(scene.daemon.root(), &options);
    scene.daemon.run_under(strace.command());
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;
    let mut params = scene.rewind_params(None).await;
    params.restore_files.as_mut().unwrap().scope = Some(RestoreScope::All);
    let moved = scene.client.call::<Rewind>(&params).await.unwrap();
    let moved = moved.files.unwrap();
    assert_eq!(moved.failed, []);
    let back = snapshot(&project);
    assert_eq!(restorable(&back), restorable(&before));
    let huge = project.join("huge");
    assert!(back[&huge] == after[&huge], "what is not kept stays");
    let redone = scene.restore(moved.event_id, RestoreScope::All).await;
    assert_eq!(restorable(&snapshot(&project)), restorable(&after));
    scene.restore(redone.event_id, RestoreScope::All).await;
    let again = snapshot(&project);
    assert_eq!(restorable(&again), restorable(&before));
    // Nothing else was touched, not even the files of git.
    let changed = ["crlf", "deleted", "edited", "link", "moved", "script"];
    let (first, last) = (modified(&after), modified(&again));
    for (path, time) in &last {
        let name = path.strip_prefix(&project).unwrap().as_os_str();
        let is_restored = changed.map(OsStr::new).contains(&name) || name.as_bytes()[0] == b'b';
        assert!(is_restored || first.get(path) == Some(time), "{path:?}");
    }
    assert!(last.contains_key(project.join(".git/index").as_path()));
    scene.daemon.stop().await;
    let trace = strace.finish();
    let mut started = trace.calls().iter().map(|call| call.arguments.as_str());
    let first = started.next().unwrap();
    assert!(first.contains("scoreld"), "{first}");
    let git = started.find(|arguments| arguments.contains("git\""));
    assert_eq!(git, None);
}
