//! Writable places that others replace by links.

use std::fs;
use std::os::fd::AsFd as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use libtest_mimic::Trial;
use scorel_exec::{CommandOrder, Isolation, Sandbox};

use crate::{open, order, supervisors, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (how, isolation) in [
        ("mounts", Isolation::default()),
        ("landlock", Isolation::NONE),
    ] {
        for (what, place, swapped) in [
            ("it", "project/cache", "project/cache"),
            ("its_parent", "project/a/cache", "project/a"),
            ("a_place_elsewhere", "caches/one/cache", "caches/one"),
        ] {
            trials.push(trial(
                format!("places::a_sandbox_with_{how}_opens_nothing_while_{what}_is_swapped"),
                move || swapping(isolation, place, swapped),
            ));
        }
        trials.push(trial(
            format!(
                "places::a_sandbox_with_{how}_keeps_a_masked_place_while_its_parent_is_swapped"
            ),
            move || masked(isolation),
        ));
    }
    trials
}

/// The number of commands that start while the links are swapped.
const COMMANDS: usize = 12;

struct Ground {
    directory: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let ground = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        for name in [
            "project/a/cache",
            "project/cache",
            "caches/one/cache",
            "outside/cache",
        ] {
            fs::create_dir_all(ground.path(name)).unwrap();
        }
        fs::write(ground.path("outside/secret"), "not to be seen").unwrap();
        ground
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    async fn run(&self, sandbox: Sandbox, script: &str) -> String {
        let order = CommandOrder {
            sandbox: Some(sandbox),
            timeout: Some(Duration::from_secs(60)),
            ..order(script)
        };
        let directory = open(&self.path("project")).unwrap();
        let run = supervisors().start(order, directory.as_fd()).unwrap();
        run.wait().await;
        String::from_utf8_lossy(&run.section(0, 1 << 16).bytes).into_owned()
    }

    /// Swaps a directory for a link to `outside` and back, until `done`.
    fn swap(&self, swapped: &str, done: &AtomicBool) {
        let (place, aside) = (self.path(swapped), self.path("project/aside"));
        while !done.load(Ordering::Relaxed) {
            fs::rename(&place, &aside).unwrap();
            symlink(self.path("outside"), &place).unwrap();
            thread::yield_now();
            fs::remove_file(&place).unwrap();
            fs::rename(&aside, &place).unwrap();
        }
    }

    fn names_outside(&self) -> Vec<String> {
        ["outside", "outside/cache"]
            .iter()
            .flat_map(|name| fs::read_dir(self.path(name)).unwrap())
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !["cache", "secret"].contains(&&**name))
            .collect()
    }
}

async fn swapping(isolation: Isolation, place: &str, swapped: &str) {
    let ground = Ground::new();
    let done = AtomicBool::new(false);
    let sandbox = Sandbox {
        writable: vec![ground.path("project"), ground.path(place)],
        isolation,
        ..Sandbox::default()
    };
    let outside = ground.path("outside");
    let outside = outside.display();
    let script =
        format!("echo x > {outside}/new; echo x > {outside}/cache/new; chmod 711 {outside}");
    let ground = Arc::new(ground);
    let done = Arc::new(done);
    let swapper = {
        let (ground, done, swapped) = (Arc::clone(&ground), Arc::clone(&done), swapped.to_owned());
        thread::spawn(move || ground.swap(&swapped, &done))
    };
    for _ in 0..COMMANDS {
        ground.run(sandbox.clone(), &script).await;
    }
    done.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert_eq!(ground.names_outside(), [""; 0]);
}

async fn masked(isolation: Isolation) {
    let ground = Ground::new();
    fs::create_dir_all(ground.path("project/a/keys")).unwrap();
    fs::write(ground.path("project/a/keys/id"), "not to be seen").unwrap();
    let keys = vec![ground.path("project/a/keys")];
    let (hidden, masked) = match isolation.mounts {
        true => (Vec::new(), keys),
        false => (keys, Vec::new()),
    };
    let sandbox = Sandbox {
        writable: vec![ground.path("project")],
        hidden,
        masked,
        isolation,
        ..Sandbox::default()
    };
    for script in [
        "mv a b; mv a/keys keys; mkdir c; mv a c/; ln -s a l; cat l/keys/id; rm -rf a; ln a/keys/id hard",
        "perl -e 'rename(\"a\", \"d\")'; python3 -c 'import os; os.rename(\"a\", \"e\")'; true",
    ] {
        let output = ground.run(sandbox.clone(), script).await;
        assert!(!output.contains("not to be seen"), "{output}");
    }
    let output = ground
        .run(
            sandbox,
            "find . -name id | xargs cat; cat */keys/id keys/id",
        )
        .await;
    assert!(!output.contains("not to be seen"), "{output}");
    assert!(ground.path("project/a/keys/id").exists(), "{output}");
}
