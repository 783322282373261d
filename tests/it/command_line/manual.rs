use std::fs;
use std::path::Path;
use std::process::Command;

use super::{help, listed, verbs};
use crate::under_test::{SCORELCTL, SCORELD};

/// Writes the pages of both programs into a directory that a package would have.
fn written(directory: &Path) {
    for program in [SCORELCTL, SCORELD] {
        // A build has no home.
        let output = Command::new(program)
            .env_clear()
            .arg("man")
            .arg(directory)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let paths = String::from_utf8(output.stdout).unwrap();
        for path in paths.lines() {
            assert!(Path::new(path).is_file(), "{path}");
        }
    }
}

#[test]
fn every_verb_has_a_page_with_its_options() {
    let root = tempfile::tempdir().unwrap();
    let man1 = root.path().join("share/man/man1");
    written(&man1);
    for verb in verbs() {
        let page = fs::read_to_string(man1.join(format!("scorelctl-{verb}.1"))).unwrap();
        if verb == "config" {
            assert_eq!(page, ".so man1/scoreld-config.1\n");
            continue;
        }
        assert!(
            page.starts_with(".ie") && page.contains(&format!(".TH scorelctl-{verb} 1")),
            "{page}"
        );
        assert!(page.contains("\\-\\-json"), "{verb}");
    }
    for command in listed(&help(SCORELD, &[])) {
        assert!(
            man1.join(format!("scoreld-{command}.1")).is_file(),
            "{command}"
        );
    }
    let page = fs::read_to_string(man1.join("scorelctl.1")).unwrap();
    assert!(
        page.contains(".SH \"EXIT STATUS\"") && page.contains("\\fB130\\fR"),
        "{page}"
    );
    assert!(man1.join("scorelctl-queue-move.1").is_file());
    assert!(!man1.join("scorelctl-man.1").exists(), "it is hidden");
}

#[test]
fn man_formats_every_page_without_a_warning() {
    let root = tempfile::tempdir().unwrap();
    written(root.path());
    for entry in fs::read_dir(root.path()).unwrap() {
        let path = entry.unwrap().path();
        if fs::read_to_string(&path).unwrap().starts_with(".so ") {
            continue;
        }
        let formatted = Command::new("groff")
            .args(["-man", "-Tutf8", "-ww"])
            .arg(&path)
            .output();
        let Ok(formatted) = formatted else {
            println!("skipped: groff is not installed");
            return;
        };
        let warnings = String::from_utf8(formatted.stderr).unwrap();
        assert!(
            formatted.status.success() && warnings.is_empty(),
            "{}: {warnings}",
            path.display()
        );
    }
}

#[test]
fn a_directory_that_cannot_be_written_is_told() {
    let output = Command::new(SCORELCTL)
        .args(["--json", "man", "/proc/pages"])
        .env_clear()
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["error"]["code"], "io");
    let output = Command::new(SCORELD)
        .args(["man", "/proc/pages"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(74), "{output:?}");
}
