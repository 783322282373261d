//! Broken documents, each kind once, and a broken package: nothing is asked of a model, and nothing is lost.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use scorel_proto::{
    CheckWorkflow, CheckWorkflowParams, ErrorCode, RepairRun, RunProblem, StartRun,
};
use serde_json::{Value, json};

use super::documents::repair;
use super::scene::{RunScene, StartedScene, edit};
use crate::under_test::scorelctl;

/// Texts with what is said of each; `@@` stands for a piece that is repeated.
const BROKEN: &str = include_str!("../../workflows/broken-documents.json");

/// A text that is not the state of a run.
struct BrokenDocument {
    name: String,
    text: String,
    /// The beginning or the whole of what is said.
    says: String,
}

impl BrokenDocument {
    fn all() -> Vec<Self> {
        let all: Vec<Value> = serde_json::from_str(BROKEN).unwrap();
        all.iter().map(Self::read).collect()
    }

    fn read(it: &Value) -> Self {
        let field = |name: &str| it[name].as_str().unwrap().to_owned();
        let text = field("text");
        let text = match it["repeat"].as_array().map(Vec::as_slice) {
            Some([piece, times]) => {
                let times = usize::try_from(times.as_u64().unwrap()).unwrap();
                text.replace("@@", &piece.as_str().unwrap().repeat(times))
            }
            _ => text,
        };
        Self {
            name: field("name"),
            text,
            says: field("says"),
        }
    }

    fn is_said(&self, problem: &RunProblem) -> bool {
        let place = problem.line.zip(problem.column);
        let place = place.map_or_else(String::new, |(line, column)| {
            format!("line {line}, column {column}: ")
        });
        let said = format!("{place}{}", problem.message);
        said.starts_with(&self.says) || said.ends_with(&self.says)
    }
}

/// A run, with the document that it is given.
struct BrokenRun<'a> {
    started: StartedScene<'a>,
    broken: BrokenDocument,
    document: PathBuf,
    good: String,
}

impl<'a> BrokenRun<'a> {
    async fn start(scene: &'a RunScene, broken: BrokenDocument) -> Self {
        let mut started = scene.start().await;
        started.until("WaitingUser", "question").await;
        let document = scene.document(started.run_id);
        let good = fs::read_to_string(&document).unwrap();
        fs::write(&document, &broken.text).unwrap();
        Self {
            started,
            broken,
            document,
            good,
        }
    }

    /// A message comes to nothing, the problem is told, and the file stays.
    async fn stop(&mut self, scene: &RunScene) {
        let name = &self.broken.name;
        self.started.send("Cats.").await;
        self.started.until("WaitingUser", "state_invalid").await;
        let problem = scene.get(self.started.run_id).await.run.problem;
        let problem = problem.unwrap_or_else(|| panic!("{name}: no problem"));
        assert_eq!(problem.code, "state_invalid", "{name}");
        assert!(self.broken.is_said(&problem), "{name}: {problem:?}");
        let has_place = problem.line.is_some() || problem.pointer.is_some();
        assert!(
            has_place || name == "document too large",
            "{name}: {problem:?}"
        );
        assert_eq!(
            fs::read_to_string(&self.document).unwrap(),
            self.broken.text,
            "{name}"
        );
    }

    /// The last good state comes back, the broken one is kept, and the run goes on.
    async fn repair(&mut self, scene: &RunScene) {
        let name = &self.broken.name;
        let params = repair(self.started.run_id);
        let repaired = scene.call::<RepairRun>(&params).await.run;
        assert_eq!(repaired.problem, None, "{name}");
        assert_eq!(
            fs::read_to_string(&self.document).unwrap(),
            self.good,
            "{name}"
        );
        let run_dir = self.document.ancestors().nth(2).unwrap();
        let kept = run_dir.join("workflow.md.broken-1");
        assert_eq!(
            fs::read_to_string(kept).unwrap(),
            self.broken.text,
            "{name}"
        );
        self.started.send("Cats.").await;
        self.started.until("WaitingUser", "question").await;
    }
}

#[tokio::test]
async fn each_kind_of_broken_document_stops_its_run_until_it_is_repaired() {
    let scene = RunScene::new().await;
    let broken = BrokenDocument::all();
    let count = broken.len();
    assert!(count >= 24, "{count} kinds");
    let starts = broken.into_iter().map(|it| BrokenRun::start(&scene, it));
    let mut runs = futures_util::future::join_all(starts).await;
    assert_eq!(scene.model.requests().len(), count);
    futures_util::future::join_all(runs.iter_mut().map(|it| it.stop(&scene))).await;
    assert_eq!(scene.model.requests().len(), count, "no model was called");
    futures_util::future::join_all(runs.iter_mut().map(|it| it.repair(&scene))).await;
    assert_eq!(scene.model.requests().len(), 2 * count);
}

#[tokio::test]
async fn what_takes_the_place_of_a_document_is_neither_followed_nor_waited_for() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let document = scene.document(started.run_id);
    let elsewhere = scene.daemon.project().join("elsewhere.md");
    fs::copy(&document, &elsewhere).unwrap();
    let puts: [fn(&Path, &Path); 3] = [
        |path, _| fs::create_dir(path).unwrap(),
        |path, elsewhere| symlink(elsewhere, path).unwrap(),
        |path, _| mkfifo(path, Mode::S_IRWXU).unwrap(),
    ];
    for put in puts {
        fs::remove_file(&document).unwrap();
        put(&document, &elsewhere);
        started.send("Cats.").await;
        started.until("WaitingUser", "state_invalid").await;
        let problem = scene.get(started.run_id).await.run.problem.unwrap();
        let message = &problem.message;
        assert!(message.contains("is not a regular file"), "{message}");
        scene.call::<RepairRun>(&repair(started.run_id)).await;
    }
    assert_eq!(scene.model.requests().len(), 1, "no model was called");
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
}

/// Mistakes that do not hide each other: file, text, what takes its place, and where it is found.
const MISTAKES: [(&str, &str, &str, &str); 7] = [
    (
        "bmad.json",
        r#""version":"1.0.0""#,
        r#""version":"1""#,
        "schema bmad.json/version",
    ),
    (
        "graph.json",
        r#""agentId":"bob""#,
        r#""agentId":"eve""#,
        "missing_agent graph.json/nodes/1/agentId",
    ),
    (
        "graph.json",
        r#""file":"end.md""#,
        r#""file":"../end.md""#,
        "bad_path graph.json/nodes/2/file",
    ),
    (
        "graph.json",
        r#""label":"done""#,
        r#""label":"again""#,
        "duplicate_label graph.json/edges/2/label",
    ),
    (
        "workflow.md",
        "workflowType: notes",
        "workflowType: ''",
        "schema workflow.md/workflowType",
    ),
    (
        "ask.md",
        "input: user",
        "input: model",
        "schema ask.md/input",
    ),
    (
        "write.md",
        "type: step",
        "type: step\nmaxVisits: 0",
        "schema write.md/maxVisits",
    ),
];

/// Codes and places, in the order in which they are told.
fn places(problems: &Value) -> Vec<String> {
    let text = |it: &Value, field: &str| it[field].as_str().unwrap().to_owned();
    let place = |it: &Value| {
        format!(
            "{} {}{}",
            text(it, "code"),
            text(it, "file"),
            text(it, "pointer")
        )
    };
    problems.as_array().unwrap().iter().map(place).collect()
}

#[tokio::test]
async fn all_mistakes_of_a_package_are_told_and_nothing_of_it_is_started() {
    let scene = RunScene::new().await;
    let params = scene.plan().await;
    for (file, from, to, _) in MISTAKES {
        edit(&scene.installed().join(file), from, to);
    }
    let check = CheckWorkflowParams {
        workflow: Some("notes".to_owned()),
        ..CheckWorkflowParams::default()
    };
    let checked = scene.call::<CheckWorkflow>(&check).await;
    assert_eq!((&checked.plan, &checked.digest), (&None, &None));
    let told = json!(checked.problems);
    let mut expected = MISTAKES.map(|(_, _, _, place)| place.to_owned());
    let mut found = places(&told);
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    let error = scene.refused::<StartRun>(&params).await;
    assert_eq!(error.code, ErrorCode::WorkflowInvalid);
    assert_eq!(places(&error.details["problems"]), places(&told));
    assert!(!scene.daemon.home().join("runs").exists());
    assert!(scene.model.requests().is_empty(), "no model was called");
    fs::remove_file(scene.installed().join("bmad.json")).unwrap();
    let (good, said) = run(&scene, &["start", "notes", "--yes"]).await;
    let missing = "bmad.json: there is no file `bmad.json`\nerror: notes cannot run as it is\n";
    assert!(!good && said == missing, "{said}");
}

/// `scorelctl run`: true for success, and what it said.
async fn run(scene: &RunScene, arguments: &[&str]) -> (bool, String) {
    let arguments = [&["run"], arguments].concat();
    let done = scorelctl(&scene.daemon, &arguments, &[]).await;
    let said = String::from_utf8([done.stdout, done.stderr].concat()).unwrap();
    (done.status.success(), said)
}

#[tokio::test]
async fn a_run_whose_file_is_damaged_is_found_by_the_end_of_its_id() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let id = started.run_id.to_string();
    let file = scene.daemon.home().join("runs").join(&id).join("run.json");
    fs::write(&file, "{").unwrap();
    let end = &id[id.len() - 6..];
    for arguments in [["list", "--all"], ["show", end]] {
        let (_, said) = run(&scene, &arguments).await;
        assert!(said.contains("run.json is damaged"), "{said}");
    }
    let (good, said) = run(&scene, &["rm", end]).await;
    assert!(good && said == format!("deleted {id}\n"), "{said}");
    assert!(!file.exists());
}
