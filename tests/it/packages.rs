//! The packages that `.ci/package` builds. `SCOREL_PACKAGES` names the directory that it puts them into.

mod contents;
mod deb;
mod rpm;
mod scripted_model;
mod tarball;

use std::path::PathBuf;
use std::process::{Command, Output};

/// The directory of the packages under test.
const PACKAGES: &str = "SCOREL_PACKAGES";

/// The package under test with this ending; prints why, and returns `None`, where there is none.
fn package(ending: &str) -> Option<PathBuf> {
    let Ok(dir) = std::env::var(PACKAGES) else {
        println!("skipped: {PACKAGES} is not set");
        return None;
    };
    let files = std::fs::read_dir(&dir).unwrap_or_else(|error| panic!("{dir}: {error}"));
    let paths = files.map(|file| file.unwrap().path());
    let found: Vec<PathBuf> = paths
        .filter(|path| path.to_str().unwrap().ends_with(ending))
        .collect();
    assert_eq!(found.len(), 1, "one package *{ending} in {dir}: {found:?}");
    found.into_iter().next()
}

/// Runs a program of this machine to its end; prints why, and returns `None`, where it is not installed.
fn run(program: &str, arguments: &[&str]) -> Option<Output> {
    match Command::new(program).args(arguments).output() {
        Ok(output) => Some(output),
        Err(error) => {
            println!("skipped: {program} does not run here: {error}");
            None
        }
    }
}

/// What a program prints that succeeds.
fn printed(program: &str, arguments: &[&str]) -> Option<String> {
    let output = run(program, arguments)?;
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {output:?}"
    );
    Some(String::from_utf8(output.stdout).unwrap())
}
