//! A disk that becomes full in the middle of a restore: a small one that only this test sees.

use std::fs::{self, File};
use std::io::Write as _;
use std::process::Command;
use std::{env, iter};

use crate::project::{Project, undoing};

const SMALL: &str = "SCOREL_TEST_SMALL_DISK";

/// Mounts a small file system for temporary files and runs a program on it.
const MOUNT: &str = r#"mount -t tmpfs -o size=16m scorel "$0" && TMPDIR="$0" exec "$@""#;

/// Larger than the page that a small file takes.
fn before(number: usize) -> Vec<u8> {
    format!("{number:>12288}").into_bytes()
}

#[test]
fn a_disk_that_becomes_full_fails_some_files_and_spoils_none() {
    if env::var_os(SMALL).is_some() {
        return on_a_small_disk();
    }
    let mount = tempfile::tempdir().unwrap();
    let in_namespace = |program: &[&str]| {
        // What it runs is this program, in which a test could hang.
        let mut command = Command::new("timeout");
        command
            .args(["120", "unshare", "-Urm", "sh", "-c", MOUNT])
            .arg(mount.path());
        command.args(program).env(SMALL, "1").output()
    };
    if !in_namespace(&["true"]).is_ok_and(|probe| probe.status.success()) {
        println!("skipped: a private mount is not possible here");
        return;
    }
    let program = env::current_exe().unwrap();
    let name = "full_disk::a_disk_that_becomes_full_fails_some_files_and_spoils_none";
    let output = in_namespace(&[program.to_str().unwrap(), "--exact", name]).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

fn on_a_small_disk() {
    let project = Project::new();
    for number in 0..300 {
        project.write(number.to_string(), before(number));
    }
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || {
        for number in 0..300 {
            project.write(number.to_string(), "after");
        }
    });
    let (undo, _) = undoing(&recorder, &recorded.files);
    assert_eq!(undo.len(), 300);
    let filler = project.session().join("filler");
    let mut file = File::create(&filler).unwrap();
    let written = iter::repeat(vec![0; 4096]).find(|page| file.write_all(page).is_err());
    assert!(written.is_some(), "the disk is full");
    file.set_len(file.metadata().unwrap().len() - 400 * 1024)
        .unwrap();

    let failed = recorder.restore("evt_1", &undo, |_| true);
    assert!((1..300).contains(&failed.len()), "{} failed", failed.len());
    assert!(failed[0].error.contains("No space left"), "{:?}", failed[0]);
    for number in 0..300 {
        let name = number.to_string();
        let has_failed = failed.iter().any(|file| file.path.as_str() == name);
        let expected = match has_failed {
            true => b"after".to_vec(),
            false => before(number),
        };
        assert_eq!(fs::read(project.path(&name)).unwrap(), expected, "{name}");
    }
    let names = fs::read_dir(project.path("")).unwrap();
    assert_eq!(names.count(), 300, "no temporary file is left");
    drop(file);
    fs::remove_file(filler).unwrap();
    assert_eq!(recorder.restore("evt_1", &undo, |_| true), []);
    assert_eq!(fs::read(project.path("299")).unwrap(), before(299));
}
