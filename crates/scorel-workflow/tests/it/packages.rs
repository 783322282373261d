use std::time::{Duration, Instant};

use proptest::prelude::*;
use scorel_workflow::{MAX_EDGES, MAX_NODES, PackageFiles, PackageId};
use serde_json::json;

use crate::sample::Sample;

#[test]
fn a_package_is_read_with_its_graph_and_settings() {
    let sample = Sample::new();
    let package = sample.read().package.unwrap();
    let ids: Vec<_> = package
        .workflows
        .iter()
        .map(|it| it.id.as_deref())
        .collect();
    assert_eq!(ids, [Some("long"), Some("short")], "the entry is the first");
    let workflow = package.workflow(None).unwrap();
    assert_eq!(workflow.graph.entry().id, "ask");
    let ways: Vec<_> = workflow
        .graph
        .outgoing("review")
        .map(|it| it.to.as_str())
        .collect();
    assert_eq!(ways, ["write", "end-99"]);
    assert!(workflow.graph.node("which").is_none());
    assert!(
        package
            .workflow(Some("short"))
            .unwrap()
            .graph
            .node("which")
            .is_some()
    );
    let visits: Vec<u64> = workflow.nodes().map(|(_, step)| step.max_visits).collect();
    assert_eq!(visits, [25, 25, 3, 25]);
    assert_eq!(sample.problems(), []);
}

#[test]
fn an_entry_may_be_the_only_workflow() {
    let mut sample = Sample::new();
    sample.edit("bmad.json", |it| {
        drop(it.as_object_mut().unwrap().remove("workflows"));
    });
    let package = sample.read().package.unwrap();
    assert_eq!(package.workflows.len(), 1);
    assert_eq!(package.workflow(None).unwrap().id, None);
}

#[test]
fn paths_and_sizes_of_files_are_bounded_and_one_directory_around_them_is_taken_off() {
    let mut files = PackageFiles::default();
    for path in ["", "/a", "../a", "a/../b", "a//b", "./a", "a\\b", "a\nb"] {
        assert!(files.insert(path, Vec::new()).is_err(), "{path:?}");
    }
    files.insert("a", Vec::new()).unwrap();
    assert_eq!(
        files.insert("a", Vec::new()).unwrap_err().to_string(),
        "`a` is there twice"
    );
    let large = files
        .insert("b", vec![0; 64 * 1024 * 1024 + 1])
        .unwrap_err();
    assert_eq!(large.to_string(), "it has more than 67108864 bytes");
    let (sample, mut around) = (Sample::new(), PackageFiles::default());
    for (path, bytes) in &sample.0 {
        around
            .insert(&format!("notes-main/{path}"), bytes.clone())
            .unwrap();
    }
    assert_eq!(around.unwrapped().digest(), sample.files().digest());
    assert!("create-story".parse::<PackageId>().is_ok());
    assert!("Create story".parse::<PackageId>().is_err());
}

#[test]
fn a_thousand_nodes_are_checked_in_time() {
    let mut sample = Sample::new();
    let id = |index: usize| format!("n{index}");
    let kind = |index| {
        if index + 1 == MAX_NODES {
            "end"
        } else {
            "step"
        }
    };
    let nodes: Vec<_> = (0..MAX_NODES)
        .map(|it| json!({"id": id(it), "type": kind(it), "file": format!("steps/n{it}.md")}))
        .collect();
    let edges: Vec<_> = (0..MAX_EDGES - 4)
        .map(|it| json!({"from": id(it % (MAX_NODES - 1)), "to": id((it * 7 + 1) % MAX_NODES), "label": it.to_string()}))
        .chain((0..4).map(|it| json!({"from": id(it), "to": id(MAX_NODES - 1), "label": "end"})))
        .collect();
    sample.edit("workflow.graph.json", |it| {
        *it = json!({"schemaVersion": "1.1", "entryNodeId": "n0", "nodes": nodes, "edges": edges});
    });
    for index in 0..MAX_NODES {
        let head = format!(
            "---\nschemaVersion: '1.1'\nnodeId: n{index}\ntype: {}\n---\n",
            kind(index)
        );
        sample.text(&format!("steps/n{index}.md"), &head);
    }
    let files = sample.files();
    let start = Instant::now();
    let reading = scorel_workflow::Package::read(&files);
    let took = start.elapsed();
    println!("1,000 nodes: {took:?}");
    assert!(
        reading.package.is_ok(),
        "{:?}",
        reading.package.unwrap_err()
    );
    assert!(took < Duration::from_secs(2), "{took:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_package_makes_it_panic(
        cuts in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(), "[\\[\\]{}\",:0a\n-]{0,3}", 0..12_usize), 1..5),
    ) {
        let mut sample = Sample::new();
        for (file, at, inserted, removed) in cuts {
            let paths: Vec<String> = sample.0.keys().cloned().collect();
            let bytes = sample.0.get_mut(file.get(&paths)).unwrap();
            let at = at.index(bytes.len() + 1);
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, inserted.bytes());
        }
        let reading = sample.read();
        if let Err(problems) = reading.package {
            prop_assert!(!problems.is_empty());
        }
    }
}
