use super::*;

fn paths(guard: &Guard) -> Vec<&str> {
    let found = guard
        .places
        .iter()
        .filter(|place| !place.anchor.as_os_str().is_empty());
    found.map(|place| place.path.to_str().unwrap()).collect()
}

#[test]
fn places_further_down_are_found_and_hidden_ones_are_not() {
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().canonicalize().unwrap();
    for name in [
        "a/.git/hooks",
        "b/c/.config/fish",
        "home/.ssh",
        "node_modules/x/.git",
        "a/src",
    ] {
        fs::create_dir_all(project.join(name)).unwrap();
    }
    fs::write(project.join("b/.zshrc"), "").unwrap();
    let hidden = [project.join("home/.ssh"), project.join(".scorel/x")];
    let guard = find(&project, None, &hidden, false, &mut Listings::default()).guard;
    let expected = [
        "a/.git/commondir",
        "a/.git/config",
        "a/.git/config.worktree",
        "a/.git/hooks",
        "a/.git/info/attributes",
        "a/.git/objects/info/alternates",
        "a/.git/rebase-merge/git-rebase-todo",
        "b/.zshrc",
        "b/c/.config/fish",
    ];
    let mut found = paths(&guard);
    found.sort_unstable();
    assert_eq!((found.as_slice(), guard.has_gaps), (&expected[..], false));
    let top = |name: &str| {
        guard
            .places
            .iter()
            .any(|place| place.path == Path::new(name))
    };
    assert!(top(".git") && top(".bashrc") && !top(".scorel"));
}

#[test]
fn what_exists_at_the_top_is_mounted_and_the_rest_is_guarded() {
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().canonicalize().unwrap();
    for name in [".git/hooks", ".git/modules/m/hooks", "sub/.git/hooks"] {
        fs::create_dir_all(project.join(name)).unwrap();
    }
    for name in [".git/config", ".git/modules/m/HEAD", ".envrc", "rc"] {
        fs::write(project.join(name), "").unwrap();
    }
    std::os::unix::fs::symlink("rc", project.join(".bashrc")).unwrap();
    let found = find(&project, None, &[], true, &mut Listings::default());
    let mut mounted = found.mounted;
    mounted.sort_unstable();
    let expected = [".bashrc", ".envrc", ".git/config", ".git/hooks"];
    assert_eq!(mounted, expected.map(|name| project.join(name)));
    let is_guarded = |name: &str| {
        let places = &found.guard.places;
        places.iter().any(|place| place.path == Path::new(name))
    };
    let expected = [
        ".bashrc",
        ".zshrc",
        ".git/commondir",
        ".git/modules/m/hooks",
        "sub/.git/hooks",
    ];
    for name in expected {
        assert!(is_guarded(name), "{name}");
    }
    for name in [".envrc", ".git/config"] {
        assert!(!is_guarded(name), "{name}");
    }
}

#[test]
fn a_linked_directory_before_a_protected_file_is_guarded() {
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().canonicalize().unwrap();
    fs::create_dir_all(project.join("conf/claude")).unwrap();
    fs::write(project.join("conf/claude/settings.json"), "").unwrap();
    std::os::unix::fs::symlink("conf/claude", project.join(".claude")).unwrap();
    for can_mount in [true, false] {
        let found = find(&project, None, &[], can_mount, &mut Listings::default());
        let is_guarded = |name: &str| {
            let places = &found.guard.places;
            places.iter().any(|place| place.path == Path::new(name))
        };
        // With its links, which only the state before the command tells.
        assert!(is_guarded(".claude/settings.json"), "mounts: {can_mount}");
        let mounted = project.join(".claude/settings.json");
        assert_eq!(found.mounted.contains(&mounted), can_mount);
        assert!(!found.mounted.contains(&project.join(".claude")));
    }
}

#[test]
fn a_git_file_that_would_be_waited_for_is_passed_by() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("a")).unwrap();
    let place = directory.path().join("a/.git");
    let mode = rustix::fs::Mode::RWXU;
    rustix::fs::mknodat(rustix::fs::CWD, &place, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let guard = find(directory.path(), None, &[], false, &mut Listings::default()).guard;
    assert!(!guard.has_gaps && paths(&guard).contains(&"a/.git"));
}

#[test]
fn places_beyond_the_limit_are_a_gap() {
    let directory = tempfile::tempdir().unwrap();
    for name in 0..=MAX_PLACES {
        let place = directory.path().join(name.to_string());
        fs::create_dir(&place).unwrap();
        fs::write(place.join(".envrc"), "").unwrap();
    }
    let guard = find(directory.path(), None, &[], false, &mut Listings::default()).guard;
    assert_eq!((guard.places.len(), guard.has_gaps), (MAX_PLACES, true));
}
