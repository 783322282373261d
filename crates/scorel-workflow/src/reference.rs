//! `docs/workflow-reference.md`, from the tables that packages and documents are checked by.

mod meanings;

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::format;
use crate::guard_error::{GuardError, RefusedTransition};
use crate::problem::ProblemCode;
use crate::shape::{Shape, described};
use meanings::MEANINGS;

/// Set this variable to write the page anew.
const REWRITE: &str = "SCOREL_REWRITE_DOCS";

const INTRODUCTION: &str = "<!-- Generated: SCOREL_REWRITE_DOCS=1 cargo test -p scorel-workflow --lib reference -->\n\n\
    # Reference of workflow packages\n\n\
    Each file of a package, the document of a run, and the codes of problems and errors. [workflows.md](workflows.md) is the guide.\n\n\
    A field that is not named here is a problem in a JSON file, and is passed over in a head. *Ours* are fields that only Scorel reads.\n";

/// The forms, with the names of their sections.
const FORMS: [(&str, &str, &Shape); 5] = [
    ("manifest", "`bmad.json`", &format::MANIFEST),
    ("graph", "The graph", &format::GRAPH),
    ("agents", "The agents", &format::AGENTS),
    ("document", "The head of the document", &format::DOCUMENT),
    ("step", "The head of a step", &format::STEP),
];

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    for (form, title, shape) in FORMS {
        let _ = write!(
            page,
            "\n## {title}\n\n| field | | value | meaning |\n|---|---|---|---|\n"
        );
        rows(shape, "", &mut |path, is_required, value| {
            let needed = if is_required { "required" } else { "" };
            let meaning = meaning(form, path);
            let _ = writeln!(page, "| `{path}` | {needed} | {value} | {meaning} |");
        });
    }
    page.push_str("\n## Problems of a package\n\n| code | |\n|---|---|\n");
    for code in PROBLEMS {
        let kind = if code.is_warning() { "a warning: " } else { "" };
        let name = serde_json::to_value(code).unwrap();
        let _ = writeln!(
            page,
            "| `{}` | {kind}{} |",
            name.as_str().unwrap(),
            about(code)
        );
    }
    page.push_str(
        "\n## Refused changes of a document\n\nAnswers of tools that write `@state/workflow.md`.\n\n| code | |\n|---|---|\n",
    );
    for (error, about) in refusals() {
        let _ = writeln!(page, "| `{}` | {about} |", error.code());
    }
    page
}

/// The fields of a form, each with its path.
fn rows(shape: &Shape, at: &str, row: &mut impl FnMut(&str, bool, String)) {
    match shape {
        Shape::Record(fields) | Shape::OpenRecord(fields) => {
            for field in *fields {
                let dot = if at.is_empty() { "" } else { "." };
                let path = format!("{at}{dot}{}", field.name);
                row(&path, field.is_required, value(field.shape));
                rows(field.shape, &path, row);
            }
        }
        Shape::List(of) | Shape::NonEmptyList(of) => rows(of, &format!("{at}[]"), row),
        _ => {}
    }
}

fn value(shape: &Shape) -> String {
    let list = |of: &Shape| match of {
        Shape::Record(_) | Shape::OpenRecord(_) | Shape::Object => "objects",
        Shape::Text | Shape::Words => "texts",
        of => panic!("{of:?} has no plural"),
    };
    match shape {
        Shape::List(of) => format!("a list of {}", list(of)),
        Shape::NonEmptyList(of) => format!("a list of {}, at least one", list(of)),
        shape => described(shape).replace('|', "\\|"),
    }
}

fn meaning(form: &str, path: &str) -> &'static str {
    let found = MEANINGS
        .iter()
        .find(|(of, field, _)| *of == form && *field == path);
    found.map_or_else(
        || panic!("`{path}` of the {form} has no meaning here"),
        |(_, _, meaning)| meaning,
    )
}

const PROBLEMS: [ProblemCode; 14] = [
    ProblemCode::Schema,
    ProblemCode::MissingFile,
    ProblemCode::BadPath,
    ProblemCode::DuplicateNode,
    ProblemCode::MissingNode,
    ProblemCode::MissingAgent,
    ProblemCode::DuplicateLabel,
    ProblemCode::NoEnd,
    ProblemCode::DeadEnd,
    ProblemCode::UnsupportedNode,
    ProblemCode::TooLarge,
    ProblemCode::Unreachable,
    ProblemCode::StepDiffers,
    ProblemCode::CannotLeave,
];

const fn about(code: ProblemCode) -> &'static str {
    match code {
        ProblemCode::Schema => "something is not of the format",
        ProblemCode::MissingFile => "a path names no file",
        ProblemCode::BadPath => "a path is absolute, leads out, or has a `\\`",
        ProblemCode::DuplicateNode => "two nodes have one id",
        ProblemCode::MissingNode => {
            "an edge, the entry or the document names a node that there is not"
        }
        ProblemCode::MissingAgent => "a node names an agent that there is not",
        ProblemCode::DuplicateLabel => "two edges from one node have the same label",
        ProblemCode::NoEnd => "there is no node of the type `end`",
        ProblemCode::DeadEnd => "no end can be reached from a node",
        ProblemCode::UnsupportedNode => "a node is of the type `subworkflow`, which is not run",
        ProblemCode::TooLarge => "a graph or text is above a [limit](limits.md)",
        ProblemCode::Unreachable => "no way leads to a node",
        ProblemCode::StepDiffers => {
            "a step's head says something else than the graph, which counts"
        }
        ProblemCode::CannotLeave => {
            "a node may use no tool that reads the run's document, or none that changes it"
        }
    }
}

/// One of each kind, with what it tells the next attempt.
fn refusals() -> [(GuardError, &'static str); 4] {
    let place = scorel_frontmatter::Place { line: 1, column: 1 };
    let refused = RefusedTransition {
        from: String::new(),
        to: String::new(),
        allowed_next: Vec::new(),
        missing: Vec::new(),
        reason: String::new(),
    };
    [
        (
            GuardError::Frontmatter {
                place,
                message: String::new(),
            },
            "the head is not YAML, or not of the kind that is read: `line`, `column`",
        ),
        (
            GuardError::schema("", ""),
            "a value is not of the format, a list shrank, or an id of the run or the package changed: `pointer`, `line`, `column`",
        ),
        (
            refused.into(),
            "the node may not be left so: `from`, `to`, `allowedNext [{to, label, isDefault, conditionText}]`, `missing` outputs",
        ),
        (
            GuardError::TooLarge,
            "the document would be above its [limit](limits.md): `maxBytes`",
        ),
    ]
}

#[test]
fn the_page_in_docs_is_up_to_date() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/workflow-reference.md");
    let page = page();
    if std::env::var_os(REWRITE).is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/workflow-reference.md is out of date; set {REWRITE}=1 and run this again"
    );
}

#[test]
fn each_meaning_is_that_of_a_field() {
    for (form, path, _) in MEANINGS {
        let (_, _, shape) = FORMS.iter().find(|(of, ..)| *of == form).unwrap();
        let mut is_there = false;
        rows(shape, "", &mut |field, _, _| is_there |= field == path);
        assert!(is_there, "{form} {path}");
    }
}
