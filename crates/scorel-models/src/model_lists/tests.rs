use scorel_provider::{EndpointId, ListedModel, ModelConfig, ModelFacts};

use super::ModelLists;

fn endpoint(host: &str) -> EndpointId {
    let url = format!("http://{host}/v1");
    let config = ModelConfig::custom("lab", "openai-completions", url, "m");
    config.endpoint().unwrap().unwrap()
}

fn listed(limit: u64) -> Vec<ListedModel> {
    let facts = ModelFacts {
        max_output_tokens: Some(limit),
        ..ModelFacts::default()
    };
    vec![ListedModel::new("m", None, facts)]
}

#[test]
fn lists_are_kept_for_the_next_daemon() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("models.json");
    let (one, other) = (endpoint("one.example"), endpoint("other.example"));
    let lists = ModelLists::new(path.clone());
    assert_eq!(lists.facts(&one, "m"), None);
    lists.keep(5, vec![(one.clone(), listed(128_000))]);
    let lists = ModelLists::new(path);
    let facts = lists.facts(&one, "m").unwrap();
    assert_eq!(facts.max_output_tokens, Some(128_000));
    assert_eq!(lists.facts(&other, "m"), None);
    assert_eq!(lists.list(&one).unwrap().0, 5);
}

#[test]
fn a_damaged_file_is_replaced_and_a_newer_one_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("models.json");
    let one = endpoint("one.example");
    let newer = r#"{"version":9}"#;
    for (text, replaced) in [("{ damaged", true), (newer, false)] {
        std::fs::write(&path, text).unwrap();
        let lists = ModelLists::new(path.clone());
        assert_eq!(lists.facts(&one, "m"), None);
        lists.keep(5, vec![(one.clone(), listed(64_000))]);
        let known = lists.facts(&one, "m").unwrap();
        assert_eq!(known.max_output_tokens, Some(64_000));
        let now = std::fs::read_to_string(&path).unwrap();
        assert_eq!(now != text, replaced, "{now}");
        let again = ModelLists::new(path.clone()).facts(&one, "m");
        assert_eq!(again.is_some(), replaced);
    }
}

#[test]
fn an_endpoint_is_not_asked_again_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let lists = ModelLists::new(dir.path().join("models.json"));
    let (one, other) = (endpoint("one.example"), endpoint("other.example"));
    assert!(lists.begin_asking(&one, 1_000));
    assert!(!lists.begin_asking(&one, 2_000));
    assert!(lists.begin_asking(&other, 2_000));
    assert!(!lists.begin_asking(&one, 0), "a clock that went back");
    assert!(lists.begin_asking(&one, 601_000));
}
