//! The packages in `docs/workflows`.

use std::fs;
use std::path::{Path, PathBuf};

use scorel_workflow::{Package, PackageFiles, Plan};

fn add_below(root: &Path, dir: &Path, files: &mut PackageFiles) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_below(root, &path, files);
            continue;
        }
        let name = path.strip_prefix(root).unwrap().to_str().unwrap();
        files.insert(name, fs::read(&path).unwrap()).unwrap();
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workflows")
}

pub(crate) fn package(id: &str) -> Package {
    let mut files = PackageFiles::default();
    let dir = root().join(id);
    add_below(&dir, &dir, &mut files);
    let reading = Package::read(&files);
    assert_eq!(reading.warnings, [], "{id}");
    let package = reading.package.unwrap();
    assert_eq!(package.manifest.name, id);
    package
}

fn plans(package: &Package) -> Vec<String> {
    let plans = package.workflows.iter().map(|it| Plan::of(package, it));
    plans.map(|plan| plan.lines().join("\n")).collect()
}

#[test]
fn each_package_can_run() {
    let entries = fs::read_dir(root()).unwrap().map(|it| it.unwrap());
    let mut ids: Vec<String> = entries
        .map(|it| it.file_name().into_string().unwrap())
        .collect();
    ids.sort();
    assert_eq!(ids, ["create-story", "release-notes"]);
    for id in ids {
        package(&id);
    }
}

#[test]
fn a_story_has_a_review_in_a_circle_a_question_and_outputs() {
    let package = package("create-story");
    assert!(package.agents.len() == 2 && package.workflows[0].graph.nodes().len() >= 6);
    let [plan] = plans(&package).try_into().unwrap();
    for line in [
        "      -> review-story (again)",
        "      -> fix-story (fix: the review found something to mend)",
        "      must write artifacts/create-story/context.md",
        "      at most 4 visits",
        "waits for a person at step-01-select-story",
    ] {
        assert!(plan.lines().any(|it| it == line), "{line}: {plan}");
    }
}

#[test]
fn notes_have_nodes_of_all_types_and_a_way_without_questions() {
    let package = package("release-notes");
    let [full, draft] = plans(&package).try_into().unwrap();
    for kind in ["step", "decision", "merge", "end"] {
        assert!(
            full.contains(&format!("  {kind:<8}  editor")),
            "{kind}: {full}"
        );
    }
    assert!(full.contains("\nwaits for a person at approve\n"), "{full}");
    assert!(draft.contains("\nno node waits for a person\n"), "{draft}");
}
