//! The JSON of every wire type.

use std::collections::BTreeSet;
use std::path::Path;

use scorel_proto::{ErrorCode, METHODS, PersistentBody, TransientBody};

use crate::{golden, samples};

#[test]
fn every_wire_type_is_written_and_read_as_its_golden() {
    for golden in samples::all() {
        golden.check();
    }
}

#[test]
fn every_golden_fits_the_schema_of_its_type() {
    for golden in samples::all() {
        let validator = jsonschema::validator_for(&(golden.schema)()).unwrap();
        if let Err(error) = validator.validate(&golden.encoded) {
            panic!("{}: {error} at {}", golden.name, error.instance_path());
        }
    }
}

#[test]
fn every_event_type_method_and_error_code_has_a_golden() {
    let names = names();
    let has = |prefix: &str| {
        names
            .iter()
            .any(|name| name == prefix || name.starts_with(&format!("{prefix}.")))
    };
    for name in PersistentBody::TYPES.iter().chain(TransientBody::TYPES) {
        assert!(
            has(&format!("event/{name}")),
            "no golden of the event {name}"
        );
    }
    for method in METHODS {
        assert!(
            has(&format!("params/{}", method.name)),
            "no params of {}",
            method.name
        );
        assert!(
            has(&format!("result/{}", method.name)),
            "no result of {}",
            method.name
        );
    }
    for code in ErrorCode::ALL {
        assert!(
            has(&format!("error/{code}")),
            "no golden of the error {code}"
        );
    }
}

#[test]
fn every_golden_file_belongs_to_a_sample() {
    let mut files = BTreeSet::new();
    collect(&golden::directory(), "", &mut files);
    assert_eq!(files, names());
}

fn names() -> BTreeSet<String> {
    let names: Vec<String> = samples::all()
        .into_iter()
        .map(|golden| golden.name)
        .collect();
    let set: BTreeSet<String> = names.iter().cloned().collect();
    assert_eq!(set.len(), names.len(), "two samples share a name");
    set
}

fn collect(directory: &Path, prefix: &str, files: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}/"), files);
        } else {
            files.insert(format!("{prefix}{}", name.strip_suffix(".json").unwrap()));
        }
    }
}
