//! Documents that are not the state of a run, each kind once. They are data, for the tests of runs too.

use std::collections::BTreeSet;

use scorel_workflow::RunDocument;
use serde::Deserialize;

const BROKEN: &str = include_str!("../../../../tests/workflows/broken-documents.json");

#[derive(Deserialize)]
struct BrokenDocument {
    name: String,
    /// With `@@` where a text is repeated.
    text: String,
    repeat: Option<(String, usize)>,
    /// The beginning or the whole of what is said.
    says: String,
}

#[test]
fn each_kind_is_refused_with_its_place() {
    let broken: Vec<BrokenDocument> = serde_json::from_str(BROKEN).unwrap();
    let mut said = BTreeSet::new();
    for it in &broken {
        let text = match &it.repeat {
            Some((piece, times)) => it.text.replace("@@", &piece.repeat(*times)),
            None => it.text.clone(),
        };
        let error = RunDocument::parse(text).unwrap_err().to_string();
        let is_said = error.starts_with(&it.says) || error.ends_with(&it.says);
        assert!(is_said, "{}: {error}", it.name);
        said.insert(error);
    }
    assert!(said.len() >= 24, "{said:#?}");
}
