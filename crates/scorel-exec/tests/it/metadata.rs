//! Permissions, times and attributes of files, which Landlock does not cover.

use std::fs;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use scorel_exec::{CommandOrder, RunEnd, Sandbox, ShellExit};

use crate::{open, order, supervisors, trial};

/// Commands that change the file `$F` outside, or the directory `$D` that it is in.
const CHANGES: &[(&str, &str)] = &[
    ("chmod_a_file", "chmod 777 $F"),
    ("chmod_a_directory", "chmod 777 $D"),
    (
        "chown_a_file",
        "chown $(id -u):$(id -g) $F; chgrp $(id -g) $D",
    ),
    ("set_the_times_of_a_file", "touch -d 2001-01-01 $F"),
    ("set_the_times_of_a_directory", "touch -d 2001-01-01 $D"),
    (
        "set_an_attribute",
        "perl -e 'my ($f, $n, $v) = (\"$F\", \"user.x\", \"y\"); syscall(188, $f, $n, $v, 1, 0) == 0 or die \"$!\"'",
    ),
    ("chmod_through_a_link", "ln -s $F link; chmod 777 link"),
    (
        "chmod_by_a_descriptor",
        "perl -e 'open(my $f, \"<\", \"$F\"); chmod(0777, $f) or die \"$!\"'",
    ),
    ("chmod_through_proc", "chmod 777 /proc/self/root$F"),
    // To the same mode: a test that fails must not harm the machine.
    (
        "chmod_the_system",
        "for f in /etc/passwd /usr; do chmod $(stat -c %a $f) $f; done",
    ),
];

pub(crate) fn trials() -> Vec<Trial> {
    let changes = CHANGES.iter().map(|(name, script)| {
        trial(format!("sandbox::it_cannot_{name}_outside"), move || {
            unchanged(script)
        })
    });
    let others = [
        trial("sandbox::metadata_in_the_project_can_be_changed", project),
        trial(
            "sandbox::the_working_directory_is_in_the_writable_mount",
            working_directory,
        ),
    ];
    changes.chain(others).collect()
}

struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir_all(directory.path().join("project/below")).unwrap();
        fs::create_dir(directory.path().join("outside")).unwrap();
        fs::write(directory.path().join("outside/file"), "old").unwrap();
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    async fn run(&self, script: &str, directory: &str) -> (String, RunEnd) {
        let text = |name| self.path(name).to_str().unwrap().to_owned();
        let script = script
            .replace("$F", &text("outside/file"))
            .replace("$D", &text("outside"));
        let order = CommandOrder {
            sandbox: Some(Sandbox {
                writable: vec![self.path("project")],
                ..Sandbox::default()
            }),
            ..order(&script)
        };
        let opened = open(&self.path(directory)).unwrap();
        let run = supervisors().start(order, opened.as_fd()).unwrap();
        let end = run.wait().await;
        let output = run.section(0, 1 << 16).bytes;
        (String::from_utf8_lossy(&output).into_owned(), end)
    }
}

fn metadata(path: &Path) -> (u32, u32, u32, i64, i64) {
    let it = fs::metadata(path).unwrap();
    // Every change sets the time of the last change, even one to the same value.
    (it.mode(), it.uid(), it.gid(), it.ctime(), it.ctime_nsec())
}

async fn unchanged(script: &str) {
    let place = Place::new();
    let outside = [
        place.path("outside"),
        place.path("outside/file"),
        PathBuf::from("/etc/passwd"),
        PathBuf::from("/usr"),
    ];
    let before = outside.each_ref().map(|path| metadata(path));
    let (output, end) = place.run(script, "project").await;
    assert!(output.contains("Read-only file system"), "{output}");
    assert_ne!(end.exit, Some(ShellExit::Code(0)), "{output}");
    assert_eq!(
        outside.each_ref().map(|path| metadata(path)),
        before,
        "{output}"
    );
}

async fn project() {
    let place = Place::new();
    let script = "set -e; echo x > f; chmod 640 f; touch -d 2001-01-01 f; chgrp $(id -g) f; stat -c '%a %Y' f";
    let (output, _) = place.run(script, "project").await;
    assert!(output.starts_with("640 9783"), "{output}");
}

async fn working_directory() {
    let place = Place::new();
    let (output, end) = place
        .run("echo x > file && mv file .. && pwd", "project/below")
        .await;
    assert_eq!(end.exit, Some(ShellExit::Code(0)), "{output}");
    assert!(output.ends_with("/project/below\n"), "{output}");
    assert!(place.path("project/file").exists());
}
