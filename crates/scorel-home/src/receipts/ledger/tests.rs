use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use scorel_proto::{ClientId, CreateSessionParams, ProjectId, SessionId};

use super::*;

const NOW: u64 = 1_785_542_400_000;

struct LedgerFixture {
    dir: tempfile::TempDir,
    client: ClientId,
}

impl LedgerFixture {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            client: ClientId::generate(),
        }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("receipts.jsonl")
    }

    fn open(&self) -> Ledger {
        self.open_at(NOW)
    }

    fn open_at(&self, now: u64) -> Ledger {
        Ledger::open(&self.path(), now).unwrap()
    }

    fn key(&self, name: &str) -> CommandKey {
        CommandKey {
            client_id: self.client,
            command_id: name.parse().unwrap(),
        }
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.dir.path()).unwrap();
        names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

fn creation() -> (Effect, Subject) {
    let session_id = SessionId::generate();
    let params = CreateSessionParams {
        project_id: ProjectId::generate(),
        title: Some("a title".to_owned()),
        runner: None,
        model: None,
        thinking_level: None,
        tools: None,
        command_id: None,
    };
    let effect = Effect::CreateSession { session_id, params };
    (effect, Subject::SessionId(session_id))
}

fn begin(ledger: &mut Ledger, key: CommandKey, effect: &Effect) -> BeginOutcome {
    begin_at(ledger, key, effect, NOW)
}

fn begin_at(ledger: &mut Ledger, key: CommandKey, effect: &Effect, now: u64) -> BeginOutcome {
    ledger
        .begin(key, "digest".to_owned(), effect.clone(), now)
        .unwrap()
}

#[test]
fn a_command_keeps_the_ids_of_its_first_receipt() {
    let place = LedgerFixture::new();
    let (first, subject) = creation();
    let (second, _) = creation();
    let mut ledger = place.open();
    let key = place.key("c1");
    assert_eq!(
        begin(&mut ledger, key.clone(), &first),
        BeginOutcome::New(first.clone())
    );
    assert_eq!(
        begin(&mut ledger, key.clone(), &second),
        BeginOutcome::Retried(first.clone())
    );
    let mut ledger = place.open();
    assert_eq!(ledger.unfinished(), [(key.clone(), first.clone())]);
    assert_eq!(
        begin(&mut ledger, key.clone(), &second),
        BeginOutcome::Retried(first)
    );
    ledger.done(&key, subject.clone()).unwrap();
    for mut ledger in [ledger, place.open()] {
        assert_eq!(ledger.unfinished(), []);
        assert_eq!(
            begin(&mut ledger, key.clone(), &second),
            BeginOutcome::Done(subject.clone())
        );
    }
    let mode = fs::metadata(place.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn another_digest_under_the_same_id_is_a_conflict() {
    let place = LedgerFixture::new();
    let (effect, subject) = creation();
    let mut ledger = place.open();
    begin(&mut ledger, place.key("c1"), &effect);
    let refused = |ledger: &mut Ledger| {
        let begun = ledger.begin(place.key("c1"), "other".to_owned(), effect.clone(), NOW);
        assert!(matches!(begun, Err(ReceiptError::Reused(_))), "{begun:?}");
    };
    refused(&mut ledger);
    ledger.done(&place.key("c1"), subject).unwrap();
    refused(&mut ledger);
    refused(&mut place.open());
    let mut other = place.key("c1");
    other.client_id = ClientId::generate();
    assert_eq!(
        begin(&mut ledger, other, &effect),
        BeginOutcome::New(effect.clone())
    );
}

#[test]
fn an_abandoned_command_is_new_when_it_is_sent_again() {
    let place = LedgerFixture::new();
    let (first, _) = creation();
    let (second, _) = creation();
    let mut ledger = place.open();
    begin(&mut ledger, place.key("c1"), &first);
    ledger.abandon(&place.key("c1")).unwrap();
    let mut ledger = place.open();
    assert_eq!(ledger.unfinished(), []);
    assert_eq!(
        begin(&mut ledger, place.key("c1"), &second),
        BeginOutcome::New(second.clone())
    );
    assert_eq!(place.open().unfinished(), [(place.key("c1"), second)]);
}

#[test]
fn what_was_begun_is_finished_in_that_order_whatever_the_clock_says() {
    let place = LedgerFixture::new();
    let (effect, _) = creation();
    let mut ledger = place.open();
    let keys: Vec<CommandKey> = (0..20).map(|n| place.key(&format!("c{n}"))).collect();
    for (n, key) in keys.iter().enumerate() {
        let now = if n < 10 { NOW } else { NOW - n as u64 };
        begin_at(&mut ledger, key.clone(), &effect, now);
    }
    let order = |ledger: Ledger| -> Vec<CommandKey> {
        let unfinished = ledger.unfinished();
        unfinished.into_iter().map(|(key, _)| key).collect()
    };
    assert_eq!(order(place.open()), keys);
    ledger.rewrite().unwrap();
    assert_eq!(order(ledger), keys);
    assert_eq!(order(place.open()), keys);
}

#[test]
fn a_session_that_is_about_to_be_deleted_is_not_created_again() {
    let place = LedgerFixture::new();
    let (effect, subject) = creation();
    let mut ledger = place.open();
    begin(&mut ledger, place.key("c1"), &effect);
    ledger.settle(&subject).unwrap();
    assert_eq!(place.open().unfinished(), []);
}

#[test]
fn a_torn_last_line_is_ignored_and_gone_with_the_next_receipt() {
    let place = LedgerFixture::new();
    let (effect, _) = creation();
    begin(&mut place.open(), place.key("c1"), &effect);
    let whole = place.text();
    begin(&mut place.open(), place.key("c2"), &effect);
    let both = place.text();
    for len in (whole.len() + 1..both.len()).step_by(19) {
        fs::write(place.path(), &both[..len]).unwrap();
        let mut ledger = place.open();
        assert_eq!(
            ledger.unfinished(),
            [(place.key("c1"), effect.clone())],
            "{len}"
        );
        assert_eq!(place.text().len(), len, "reading changes nothing");
        begin(&mut ledger, place.key("c3"), &effect);
        let kept: Vec<CommandKey> = place.open().begun.into_keys().collect();
        assert_eq!(kept.len(), 2);
        assert!(kept.contains(&place.key("c1")) && kept.contains(&place.key("c3")));
    }
    assert_eq!(place.names(), ["receipts.jsonl"]);
}

#[test]
fn a_damaged_line_is_skipped_and_kept_in_a_copy_when_the_file_is_rewritten() {
    let place = LedgerFixture::new();
    let (effect, subject) = creation();
    let mut ledger = place.open();
    for name in ["c1", "c2"] {
        begin(&mut ledger, place.key(name), &effect);
    }
    let damaged = place.text().replacen("createSession", "createSessiom", 1);
    fs::write(place.path(), &damaged).unwrap();
    let mut ledger = place.open();
    assert_eq!(ledger.unfinished(), [(place.key("c2"), effect)]);
    ledger.done(&place.key("c2"), subject).unwrap();
    assert!(place.text().starts_with(&damaged), "it is left as it is");
    ledger.rewrite().unwrap();
    assert_eq!(place.text().lines().count(), 1);
    let aside = place
        .names()
        .into_iter()
        .find(|name| name.contains(".damaged-"));
    let aside = fs::read_to_string(place.dir.path().join(aside.unwrap())).unwrap();
    assert!(aside.starts_with(&damaged));
}

#[test]
fn receipts_are_kept_for_two_weeks_and_the_unfinished_until_they_end() {
    let place = LedgerFixture::new();
    let (effect, subject) = creation();
    let mut ledger = place.open();
    for name in ["done", "begun"] {
        begin(&mut ledger, place.key(name), &effect);
    }
    ledger.done(&place.key("done"), subject.clone()).unwrap();
    let begun = |now, name| begin_at(&mut place.open_at(now), place.key(name), &effect, now);
    assert_eq!(begun(NOW + KEEP_MS, "done"), BeginOutcome::Done(subject));
    let later = NOW + KEEP_MS + 1;
    assert_eq!(begun(later, "begun"), BeginOutcome::Retried(effect.clone()));
    assert_eq!(begun(later, "done"), BeginOutcome::New(effect.clone()));
}

#[test]
fn a_long_file_is_rewritten_with_what_is_still_remembered() {
    let place = LedgerFixture::new();
    let (effect, subject) = creation();
    let key = place.key("old");
    let mut ledger = place.open();
    begin(&mut ledger, key.clone(), &effect);
    ledger.done(&key, subject.clone()).unwrap();
    let line = place.text().lines().last().unwrap().to_owned() + "\n";
    fs::write(place.path(), line.repeat(1024 * 1024 / line.len() + 1)).unwrap();
    let mut ledger = place.open();
    begin(&mut ledger, place.key("new"), &effect);
    assert_eq!(place.text().lines().count(), 2);
    let mut ledger = place.open();
    assert_eq!(
        begin(&mut ledger, key, &effect),
        BeginOutcome::Done(subject)
    );
}

#[test]
fn the_number_of_remembered_commands_is_bounded() {
    let place = LedgerFixture::new();
    let (effect, subject) = creation();
    let mut ledger = place.open();
    for number in 0..MAX_RECEIPTS {
        let key = place.key(&number.to_string());
        ledger.apply(ReceiptLine::Done(HostReceipt {
            key,
            digest: "digest".to_owned(),
            ts: NOW,
            what: HostOutcome {
                method: effect.method(),
                subject: subject.clone(),
            },
        }));
    }
    let mut begin_at = |now| ledger.begin(place.key("new"), String::new(), effect.clone(), now);
    let full = begin_at(NOW + KEEP_AT_LEAST_MS);
    assert!(matches!(full, Err(ReceiptError::Full { .. })), "{full:?}");
    assert_eq!(
        begin_at(NOW + KEEP_AT_LEAST_MS + 1).unwrap(),
        BeginOutcome::New(effect.clone())
    );
}

#[test]
fn a_receipt_that_cannot_be_written_does_not_count() {
    let place = LedgerFixture::new();
    let (effect, _) = creation();
    let mut ledger = place.open();
    // Nothing can be given this name.
    fs::create_dir_all(place.path().join("in the way")).unwrap();
    let refused = ledger.begin(place.key("c1"), "digest".to_owned(), effect.clone(), NOW);
    assert!(
        matches!(refused, Err(ReceiptError::Write(_))),
        "{refused:?}"
    );
    assert_eq!(ledger.unfinished(), []);
    fs::remove_dir_all(place.path()).unwrap();
    assert_eq!(
        begin(&mut ledger, place.key("c1"), &effect),
        BeginOutcome::New(effect.clone())
    );
    assert_eq!(place.open().unfinished().len(), 1);
}
