use jiff::civil::date;
use scorel_home::StateFile;
use scorel_proto::ThinkingLevel::{Low, Max};
use scorel_provider::{ListedModel, ModelFacts, Price, ThinkingLevels};

use super::{ListsFile, MAX_ENDPOINTS, StoredList};

/// 2026-11-22.
const DAY: u64 = 1_795_305_600_000;

fn model(id: &str, limit: u64) -> ListedModel {
    let facts = ModelFacts {
        context_window: Some(1_000_000),
        max_output_tokens: Some(limit),
        levels: Some(ThinkingLevels::of(&[Low, Max])),
        price: Some(Price {
            input: 2_000_000,
            output: 10_000_000,
            cache_read: Some(100_000),
            cache_write: None,
            noted_on: None,
        }),
        ..ModelFacts::default()
    };
    ListedModel::new(id, Some("A model".to_owned()), facts)
}

#[test]
fn a_list_survives_the_file_with_its_day() {
    let dir = tempfile::tempdir().unwrap();
    let stored = StateFile::<ListsFile>::new(dir.path().join("models.json"));
    assert_eq!(stored.read().unwrap(), None);
    let mut file = ListsFile::default();
    file.insert(
        "a".to_owned(),
        StoredList::new(DAY, &[model("m-20260101", 128_000)]),
    );
    stored.replace(&file).unwrap();
    let text = std::fs::read_to_string(stored.path()).unwrap();
    assert_eq!(text.lines().count(), 1, "people do not read it");
    let read = stored.read().unwrap().unwrap();
    assert_eq!(read, file);
    let list = read.list("a").unwrap();
    let facts = list.facts("m-20260101").unwrap();
    assert_eq!(facts.max_output_tokens, Some(128_000));
    assert_eq!(facts.price.unwrap().noted_on, Some(date(2026, 11, 22)));
    assert_eq!(list.facts("m"), Some(facts), "the alias of a dated id");
    assert_eq!(list.facts("n"), None);
    assert_eq!(list.models().next().unwrap().id, "m-20260101");
}

#[test]
fn the_oldest_list_goes_first() {
    let mut file = ListsFile::default();
    for number in 0..=MAX_ENDPOINTS as u64 {
        let name = format!("e{}", MAX_ENDPOINTS as u64 - number);
        file.insert(name, StoredList::new(number, &[]));
    }
    assert!(file.list(&format!("e{MAX_ENDPOINTS}")).is_none());
    assert!(file.list("e0").is_some());
}
