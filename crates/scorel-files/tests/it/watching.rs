//! Watching commands for the files that they change.

use std::fs;

use scorel_proto::{ChangedBy, FileState};

use crate::project::{Project, names, os, state};

#[test]
fn what_a_command_changes_is_seen_and_nothing_else() {
    let project = Project::new();
    for name in ["kept", "edited", "moved", "deleted", "same", "run"] {
        project.write(name, name);
    }
    project.write(os(b"bad\xff"), "x");
    project.link("link", "kept");
    project.set_mode("run", 0o644);
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || {
        project.sh(
            "sed -i s/edited/changed/ edited; mkdir d; mv moved d/moved; rm deleted\n\
             cat > made <<END\nmade\nEND\nchmod 755 run; ln -sfn run link; touch same\n\
             rm bad*; echo y > $'bad\\xfe'",
        );
    });
    let expected = [
        r"bad\xfe", r"bad\xff", "d/moved", "deleted", "edited", "link", "made", "moved", "run",
    ];
    assert_eq!(names(&recorded), expected);
    assert!(recorded.files.iter().all(|it| it.by == ChangedBy::Command));
    assert_eq!(state(&recorded, "d/moved").0, &FileState::Absent);
    assert_eq!(state(&recorded, "moved").0, state(&recorded, "d/moved").1);
    assert_eq!(state(&recorded, "moved").1, &FileState::Absent);
    let nothing = project.watch(&recorder, || {});
    assert_eq!(names(&nothing), [""; 0]);
}

#[test]
fn what_comes_between_commands_is_not_theirs() {
    let project = Project::new();
    project.write("a", "1");
    let recorder = project.recorder();
    project.watch(&recorder, || project.write("a", "2"));
    project.write("a", "by an editor");
    project.write("b", "by an editor");
    let recorded = project.watch(&recorder, || project.write("c", "3"));
    assert_eq!(names(&recorded), ["c"]);
}

#[test]
fn a_change_in_the_same_tick_of_the_clock_is_seen() {
    let project = Project::new();
    let recorder = project.recorder();
    for round in 0..50 {
        project.write("file", format!("{round:03}"));
        let recorded = project.watch(&recorder, || {
            // Same length, and often the same times.
            fs::write(project.path("file"), format!("{:03}", round + 500)).unwrap();
        });
        assert_eq!(names(&recorded), ["file"], "round {round}");
    }
}

#[test]
fn version_control_and_ignored_files_are_left_alone() {
    let project = Project::new();
    project.sh("git init -q .");
    project.write(".gitignore", "target/\n*.log\n");
    project.write("target/old", "x");
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || {
        project.sh("echo y > target/new; echo y > a.log; echo y > .git/config; mkdir -p sub/.git");
        project.sh("echo y > sub/.git/HEAD; echo y > sub/seen");
    });
    assert_eq!(names(&recorded), ["sub/seen"]);
}

#[test]
fn files_that_stop_being_ignored_were_there_before() {
    let project = Project::new();
    project.sh("git init -q .");
    project.write(".gitignore", "out/\n");
    project.write("out/old", "precious");
    project.write("source", "s");
    let recorder = project.recorder();
    // Files made in the same moment could be new.
    project.sh("sleep 0.05");
    let recorded = project.watch(&recorder, || {
        project.write(".gitignore", "");
        project.sh("echo new > out/new; mv source out/source");
    });
    let expected = [".gitignore", "out/new", "out/old", "out/source", "source"];
    assert_eq!(names(&recorded), expected);
    assert_eq!(state(&recorded, "out/old").0, &FileState::Unknown);
    assert_eq!(state(&recorded, "out/new").0, &FileState::Absent);
    assert_eq!(state(&recorded, "out/source").0, &FileState::Absent);
    let hidden = project.watch(&recorder, || project.write(".gitignore", "out/\n"));
    assert_eq!(names(&hidden), [".gitignore"], "they are still there");
}

#[test]
fn a_large_file_is_seen_and_was_not_copied() {
    let project = Project::new();
    project.write("large", vec![0; 256 * 1024 + 1]);
    project.write("huge", vec![0; 8 * 1024 * 1024 + 1]);
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || {
        project.write("large", "small");
        project.write("huge", vec![1; 8 * 1024 * 1024 + 1]);
    });
    assert_eq!(names(&recorded), ["huge", "large"]);
    assert_eq!(state(&recorded, "large").0, &FileState::Unknown);
    assert!(state(&recorded, "large").1.content().is_some());
    assert_eq!(
        state(&recorded, "huge"),
        (&FileState::Unknown, &FileState::Unknown)
    );
}

#[test]
fn too_many_files_are_not_watched_and_that_is_said() {
    let project = Project::new();
    project.sh("mkdir many; cd many; seq 1 20001 | xargs touch");
    let recorder = project.recorder();
    // A slow disk is a reason too.
    let mut tries = (0..100).map(|_| recorder.watch_command().unwrap_err());
    let refused = tries.find(|it| !it.contains("takes longer than 300 ms"));
    let refused = refused.expect("20,000 files are listed in 300 ms");
    assert!(refused.contains("more than 20000 files"), "{refused}");
    project.sh("rm -r many");
    let again = recorder.watch_command();
    assert_eq!(again, Err(refused), "it is not listed again so soon");
}

#[test]
fn a_pipe_for_an_ignore_file_blocks_nothing() {
    let project = Project::new();
    project.sh("mkdir sub; mkfifo sub/.gitignore; echo x > sub/file; echo x > file");
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || project.write("file", "y"));
    assert_eq!(names(&recorded), ["file"]);
    project.sh("mkfifo .gitignore");
    let refused = recorder.watch_command().unwrap_err();
    assert!(refused.contains("not a regular file"), "{refused}");
}

#[test]
fn the_changes_of_a_command_survive_the_daemon() {
    let project = Project::new();
    project.write("a", "before");
    let first = project.recorder();
    project.watch_begins(&first);
    // A command that did not start has changed nothing.
    assert_eq!(project.recorder().command_interrupted(), None);
    first.command_starts().unwrap();
    project.write("a", "after");
    drop(first);
    let second = project.recorder();
    let recorded = second.command_interrupted().unwrap();
    assert_eq!(names(&recorded), ["a"]);
    assert_eq!(second.command_interrupted(), None);
    assert_eq!(project.recorder().command_interrupted(), None);
    let (files, _) = crate::project::undoing(&second, &recorded.files);
    assert_eq!(second.restore("k", &files, |_| true), []);
    assert_eq!(fs::read(project.path("a")).unwrap(), b"before");
    second.forget_base();
    assert!(!project.session().join("base").exists());
    let recorded = project.watch(&second, || project.write("a", "again"));
    assert_eq!(names(&recorded), ["a"]);
}

#[test]
fn a_link_leads_no_copy_outside() {
    let project = Project::new();
    project.write("dir/file", "inside");
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("file"), "secret").unwrap();
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || {
        project.sh("rm -r dir");
        project.link("dir", outside.path().to_str().unwrap());
    });
    assert_eq!(names(&recorded), ["dir", "dir/file"]);
    assert!(matches!(state(&recorded, "dir").1, FileState::Link { .. }));
    assert_eq!(state(&recorded, "dir/file").1, &FileState::Unknown);
}
