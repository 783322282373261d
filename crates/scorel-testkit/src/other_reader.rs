use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

/// A script of `tests/workflows` that reads with another program's library: it answers each line of JSON with one.
#[derive(Debug)]
pub struct OtherReader(Command);

impl OtherReader {
    /// Heads of documents by the npm package `yaml`: texts in, `{values}` out.
    pub fn yaml() -> Option<Self> {
        Self::find(Path::new("node"), "node_modules/yaml", "heads.mjs")
    }

    /// Heads of documents by the package `python-frontmatter`, as [`OtherReader::yaml`].
    pub fn python_frontmatter() -> Option<Self> {
        let python = directory().join("python/bin/python");
        Self::find(&python, "python/bin/python", "heads.py")
    }

    /// Values by the npm package `ajv` and the published schemas: `{schema, value}` in, `{valid, errors}` out. The
    /// schemas lie beside the recordings of providers.
    ///
    /// # Panics
    /// If the schemas are missing where recordings are required.
    pub fn ajv() -> Option<Self> {
        let Self(mut command) = Self::find(Path::new("node"), "node_modules/ajv", "validate.mjs")?;
        let schemas = directory().join("../../../shared/reference/bmad");
        if !schemas.exists() {
            let is_required = env::var_os("SCOREL_REQUIRE_FIXTURES").is_some();
            assert!(!is_required, "{} is missing", schemas.display());
            skip(&format!("{} is missing", schemas.display()));
            return None;
        }
        command.arg(schemas);
        Some(Self(command))
    }

    /// `None` where the package is not installed, which is a failure in CI.
    fn find(program: &Path, package: &str, script: &str) -> Option<Self> {
        if !directory().join(package).exists() {
            let is_ci = env::var("CI").as_deref() == Ok("true");
            assert!(
                !is_ci,
                "tests/workflows has no {package}: `.ci/run` installs it"
            );
            skip(&format!("{package} is not installed"));
            return None;
        }
        let mut command = Command::new(program);
        command.arg(directory().join(script));
        Some(Self(command))
    }

    /// The answer to each line.
    ///
    /// # Panics
    /// If the program cannot be run, fails, or leaves a line without an answer.
    pub fn answers(self, lines: Vec<Value>) -> Vec<Value> {
        let Self(mut command) = self;
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = started.expect("the program is there");
        let mut input = child.stdin.take().expect("a pipe");
        let count = lines.len();
        let writer = thread::spawn(move || {
            for line in lines {
                writeln!(input, "{line}").expect("the program reads all");
            }
        });
        let done = child.wait_with_output().expect("it ends");
        writer.join().expect("all was written");
        assert!(done.status.success(), "{done:?}");
        let text = String::from_utf8(done.stdout).expect("a text");
        let answers = text.lines().map(serde_json::from_str);
        let answers: Vec<Value> = answers.map(|it| it.expect("JSON")).collect();
        assert_eq!(answers.len(), count, "one answer to each line");
        answers
    }
}

/// The directory of the scripts.
fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/workflows")
}

#[expect(clippy::print_stdout, reason = "a test says what it skips")]
fn skip(reason: &str) {
    println!("skipped: {reason}");
}
