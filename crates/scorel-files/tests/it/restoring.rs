//! Restoring files.

use std::fs;

use scorel_files::CheckpointLimits;
use scorel_proto::{FileState, RestoreAction};

use crate::project::{Project, os, path, undoing};

/// Changes that one test undoes, redoes and undoes again: every kind of file and of change.
const SCRIPT: &str = "
printf 'one\\r\\ntwo\\r\\n' > crlf
printf changed > edited
rm deleted
mkdir -p new/deep; echo made > new/deep/made
mv moved renamed
chmod 0755 script
ln -sfn edited link
rm was-file; mkdir was-file; echo x > was-file/inner
rm was-dir/inner; rmdir was-dir; echo y > was-dir
rm bad*; printf other > $'bad\\xff'
";

fn prepared() -> Project {
    let project = Project::new();
    project.write("crlf", "one\r\n");
    project.write("edited", "edited");
    project.write("deleted", "deleted\n");
    project.write("moved", "moved");
    project.write("script", "#!/bin/sh\n");
    project.set_mode("script", 0o644);
    project.link("link", "crlf");
    project.write("was-file", "file");
    project.write("was-dir/inner", "inner");
    project.write(os(b"bad\xff"), "bad");
    project.write("untouched", "u");
    project
}

#[test]
fn undo_redo_and_undo_give_every_byte_and_mode_back() {
    let project = prepared();
    let recorder = project.recorder();
    let before = project.snapshot();
    let untouched = project.modified("untouched");
    let recorded = project.watch(&recorder, || project.sh(SCRIPT));
    let after = project.snapshot();
    assert_ne!(before, after);

    let (undo, _) = undoing(&recorder, &recorded.files);
    assert_eq!(recorder.restore("evt_1", &undo, |_| true), []);
    assert_eq!(project.snapshot(), before);
    let (redo, _) = undoing(&recorder, &undo);
    assert_eq!(recorder.restore("evt_2", &redo, |_| true), []);
    assert_eq!(project.snapshot(), after);
    let (undo, _) = undoing(&recorder, &redo);
    assert_eq!(recorder.restore("evt_3", &undo, |_| true), []);
    assert_eq!(project.snapshot(), before);
    assert_eq!(project.modified("untouched"), untouched);
    assert!(!project.path("new").exists(), "no empty directory is left");
}

#[test]
fn a_restore_can_be_repeated_and_touches_nothing_then() {
    let project = prepared();
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || project.sh(SCRIPT));
    let (undo, _) = undoing(&recorder, &recorded.files);
    // As after a crash in the middle: some are done, and a temporary file is left.
    assert_eq!(recorder.restore("evt_1", &undo[..4], |_| true), []);
    let number = undo.iter().position(|it| it.path.as_str() == "edited");
    let temporary = format!(".scorel-evt_1-{}.tmp", number.unwrap());
    project.write(&temporary, "half");
    assert_eq!(recorder.restore("evt_1", &undo, |_| true), []);
    assert!(!project.path(&temporary).exists());
    let done = project.modified("edited");
    assert_eq!(recorder.restore("evt_1", &undo, |_| true), []);
    assert_eq!(project.modified("edited"), done);
}

#[test]
fn what_another_program_changed_is_in_conflict_and_stays() {
    let project = Project::new();
    for name in ["a", "b", "c", "d/e", "f"] {
        project.write(name, "before");
    }
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || {
        project.sh("for f in a b c d/e f; do echo after > $f; done; echo new > n");
    });
    project.write("a", "by an editor");
    project.write("b", "before");
    project.remove("c");
    project.sh("mv d elsewhere; ln -s elsewhere d");
    let (undo, actions) = undoing(&recorder, &recorded.files);
    let expected = [
        ("a", RestoreAction::Conflict),
        ("b", RestoreAction::None),
        ("c", RestoreAction::Conflict),
        ("d/e", RestoreAction::Conflict),
        ("f", RestoreAction::Write),
        ("n", RestoreAction::Delete),
    ];
    assert_eq!(actions, expected.map(|(name, action)| (path(name), action)));
    // Between the plan and the restore.
    project.write("f", "by an editor, late");
    let failed = recorder.restore("evt_1", &undo, |_| true);
    let failed: Vec<_> = failed.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(failed, ["f"]);
    assert_eq!(fs::read(project.path("f")).unwrap(), b"by an editor, late");
    assert!(!project.path("n").exists());
}

#[test]
fn a_restore_that_is_cancelled_names_what_it_left() {
    let project = Project::new();
    for number in 0..200 {
        project.write(format!("{number}"), "before");
    }
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || {
        project.sh("for f in *; do echo after > $f; done");
    });
    let (undo, _) = undoing(&recorder, &recorded.files);
    let mut asked = Vec::new();
    let failed = recorder.restore("evt_1", &undo, |done| {
        asked.push(done);
        // Later it would go on again.
        done != 128
    });
    assert_eq!(asked[0], 0);
    let restored = asked.iter().copied().find(|done| *done >= 128).unwrap();
    assert_eq!(failed.len(), 200 - restored);
    assert!(failed.iter().all(|it| it.error.contains("cancelled")));
    let left = |change: &&scorel_proto::FileChange| failed.iter().any(|it| it.path == change.path);
    for change in &undo {
        let now = recorder.observe(&change.path).unwrap();
        let expected = if left(&change) {
            &change.before
        } else {
            &change.after
        };
        assert_eq!(now, *expected, "{}", change.path);
    }
    // After a crash, the same are left.
    assert_eq!(recorder.restore("evt_1", &undo, |_| false), failed);
    // The rest can be had later.
    assert_eq!(recorder.restore("evt_2", &undo, |_| true), []);
}

#[test]
fn many_files_are_restored_in_batches() {
    let project = Project::new();
    for number in 0..300 {
        project.write(format!("kept/{number}"), "before");
        project.write(format!("gone/{}/{number}", number % 7), "before");
    }
    let before = project.snapshot();
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || {
        project.sh(
            "for f in kept/*; do echo after > $f; done; rm -r gone; mkdir new; touch new/{1..300}",
        );
    });
    let (undo, _) = undoing(&recorder, &recorded.files);
    assert_eq!(undo.len(), 900);
    assert_eq!(recorder.restore("evt_1", &undo, |_| true), []);
    assert_eq!(project.snapshot(), before);
    assert!(!project.path("new").exists());
}

#[test]
fn a_restored_file_keeps_its_extended_attributes() {
    let project = Project::new();
    project.write("a", "before");
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || project.write("a", "after"));
    let flags = rustix::fs::XattrFlags::empty();
    if rustix::fs::setxattr(project.path("a"), "user.scorel", b"kept", flags).is_err() {
        return;
    }
    let (undo, _) = undoing(&recorder, &recorded.files);
    assert_eq!(recorder.restore("evt_1", &undo, |_| true), []);
    let mut value = [0; 16];
    let length = rustix::fs::getxattr(project.path("a"), "user.scorel", value.as_mut_slice());
    assert_eq!(&value[..length.unwrap()], b"kept");
}

#[test]
fn a_restored_mode_counts_for_more_than_a_list_of_access_control() {
    const LIST: &str = "system.posix_acl_access";
    let project = Project::new();
    project.write("a", "before");
    project.set_mode("a", 0o444);
    let before = project.snapshot();
    let recorder = project.recorder();
    // The owner, user 7, the group, the mask and others may read and write.
    let entries = [
        (1, u32::MAX),
        (2, 7),
        (4, u32::MAX),
        (0x10, u32::MAX),
        (0x20, u32::MAX),
    ];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, id) in entries {
        list.extend([tag, 0, 6, 0]);
        list.extend(id.to_le_bytes());
    }
    let set = |name, value: &[u8]| {
        let flags = rustix::fs::XattrFlags::empty();
        rustix::fs::setxattr(project.path("a"), name, value, flags).is_ok()
    };
    let mut has_both = false;
    let recorded = project.watch(&recorder, || {
        project.set_mode("a", 0o644);
        project.write("a", "after");
        has_both = set(LIST, &list) && set("user.scorel", b"kept");
    });
    if !has_both {
        return;
    }
    let (undo, _) = undoing(&recorder, &recorded.files);
    assert_eq!(recorder.restore("evt_1", &undo, |_| true), []);
    assert_eq!(project.snapshot(), before);
    for name in [LIST, "user.scorel"] {
        let mut value = [0; 64];
        let length = rustix::fs::getxattr(project.path("a"), name, value.as_mut_slice());
        assert!(length.is_ok(), "{name}");
    }
}

#[test]
fn a_content_that_is_not_kept_any_more_is_unknown() {
    let project = Project::new();
    project.write("a", "before");
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || project.write("a", "after"));
    fs::remove_dir_all(project.session().join("files")).unwrap();
    let (undo, actions) = undoing(&recorder, &recorded.files);
    assert_eq!(
        (undo, actions),
        (vec![], vec![(path("a"), RestoreAction::Unknown)])
    );
}

#[test]
fn a_file_above_the_limit_is_unknown() {
    let limits = CheckpointLimits {
        max_file_bytes: 10,
        ..CheckpointLimits::default()
    };
    let project = Project::new();
    project.write("a", "eleven byte");
    let recorder = project.recorder_with(limits);
    let before = recorder.before(path("a")).unwrap();
    assert_eq!(before.before, FileState::Unknown);
    project.write("a", "ten bytes.");
    let change = recorder.written(before, b"ten bytes.");
    assert!(change.after.content().is_some());
    let (_, actions) = undoing(&recorder, &[change]);
    assert_eq!(actions, [(path("a"), RestoreAction::Unknown)]);
}

#[test]
fn an_interrupted_tool_is_recorded_as_far_as_it_came() {
    let project = Project::new();
    project.write("a", "before");
    let recorder = project.recorder();
    let before = recorder.before(path("a")).unwrap();
    assert_eq!(recorder.interrupted(&before), None);
    project.write("a", "after");
    let change = recorder.interrupted(&before).unwrap();
    let (undo, _) = undoing(&recorder, &[change]);
    assert_eq!(recorder.restore("evt_1", &undo, |_| true), []);
    assert_eq!(fs::read(project.path("a")).unwrap(), b"before");
}

#[test]
fn files_of_git_are_not_named() {
    let project = Project::new();
    let recorder = project.recorder();
    let real = project.path("").canonicalize().unwrap();
    assert_eq!(recorder.path_of(&real.join("a/b")), Some(path("a/b")));
    assert_eq!(recorder.path_of(&real.join(".git/config")), None);
    assert_eq!(recorder.path_of(&real.join("sub/.git/HEAD")), None);
    assert_eq!(recorder.path_of(real.parent().unwrap()), None);
}
