//! `scorelctl ext`.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::*;
use crate::under_test::{SCORELCTL, scorelctl};

async fn ext(daemon: &DaemonUnderTest, arguments: &[&str]) -> (bool, String) {
    let arguments = [&["ext"], arguments].concat();
    let done = scorelctl(daemon, &arguments, &[]).await;
    let text = [done.stdout, done.stderr].concat();
    (done.status.success(), String::from_utf8(text).unwrap())
}

fn names(daemon: &DaemonUnderTest) -> Vec<String> {
    let entries = fs::read_dir(daemon.home().join("extensions"));
    let entries = entries.into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|it| it.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_plugin_is_checked_added_listed_and_removed() {
    let desk = Desk::with(|_| {}).await;
    let source = desk.daemon.project().join("tidy-source");
    write_all(&source, &TIDY);
    write_all(
        &source,
        &[
            ("agents/critic.md", "x"),
            ("commands/broken.md", "---\nx: 1\n"),
        ],
    );
    let path = source.to_str().unwrap();
    let (good, text) = ext(&desk.daemon, &["check", path]).await;
    for part in [
        "tidy: a plugin of Claude Code",
        "/tidy:fix (ignored: `model`, `` !`…` ``)",
        "skill     tidy:style",
        "agents (critic): not run",
        "commands/broken.md: no line `---` ends its head",
        "has 1 problem",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!good);
    let (good, text) = ext(&desk.daemon, &["add", path]).await;
    assert!(good && text.contains("added tidy"), "{text}");
    let (good, text) = ext(&desk.daemon, &["add", path]).await;
    assert!(
        !good && text.contains("`--replace` puts it in its place"),
        "{text}"
    );
    let (good, text) = ext(&desk.daemon, &["list"]).await;
    assert!(
        good && text.contains("tidy") && text.contains("available") && text.contains("1.2.0"),
        "{text}"
    );
    let (good, text) = ext(&desk.daemon, &["remove", "tidy"]).await;
    assert!(good && text.contains("removed tidy"), "{text}");
    assert_eq!(names(&desk.daemon), [""; 0]);
    let (good, text) = ext(&desk.daemon, &["list"]).await;
    assert!(good && text.contains("no extensions"), "{text}");
}

#[tokio::test]
async fn an_add_that_is_killed_leaves_all_or_nothing() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let source = daemon.project().join("tidy-source");
    write_all(&source, &TIDY);
    let files: Vec<String> = (0..200)
        .map(|number| format!("data/{number}.txt"))
        .collect();
    for file in &files {
        write_all(&source, &[(file, "some text")]);
    }
    let mut seen = [0; 2];
    for delay in 0..24 {
        let mut add = Command::new(SCORELCTL);
        add.env_clear()
            .env("SCOREL_HOME", daemon.home())
            .args(["ext", "add", "--replace"])
            .arg(&source)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut add = add.spawn().unwrap();
        tokio::time::sleep(Duration::from_millis(delay * 3)).await;
        let _ = add.start_kill();
        let _ = add.wait().await;
        let root = daemon.home().join("extensions/tidy");
        let is_there = root.exists();
        seen[usize::from(is_there)] += 1;
        if is_there {
            let whole = files.iter().all(|file| root.join(file).is_file());
            assert!(whole, "killed after {} ms", delay * 3);
            fs::remove_dir_all(root).unwrap();
        }
    }
    println!(
        "an add that was killed left nothing {} times, all {} times",
        seen[0], seen[1]
    );
    let (good, text) = ext(&daemon, &["add", source.to_str().unwrap()]).await;
    assert!(good, "{text}");
    assert_eq!(names(&daemon), ["tidy"], "what was left is gone");
}
