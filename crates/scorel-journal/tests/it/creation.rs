//! Creating journals, and objects that cannot be records.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use nix::errno::Errno;
use scorel_journal::{
    AppendError, ContinueAt, CreateError, Durability, FileStorage, InvalidRecord, Journal,
    MAX_RECORD,
};

use crate::disk::{Disk, Fault, Op};
use crate::log::{Log, append, create_on, seqs, text};

#[test]
fn journal_files_have_mode_0600() {
    let log = Log::of(&["one"]);
    let mode = |path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(log.dir()), 0o700);
    assert_eq!(mode(log.path()), 0o600);
    assert!(log.other_files().is_empty());
}

#[test]
fn a_journal_is_created_once() {
    let log = Log::of(&["one"]);
    let again = create_on(Arc::new(FileStorage), &log.dir());
    assert!(matches!(again, Err(CreateError::Exists)));
    assert_eq!(log.texts(), ["one"]);
}

#[test]
fn a_header_needs_the_current_format_and_no_checksum_of_its_own() {
    for header in [
        "",
        "{}",
        "{\"format\":2}",
        "{\"format\":1,\"crc\":\"\"}",
        "{\"format\":1}\n",
    ] {
        let log = Log::nowhere();
        let storage = Arc::new(FileStorage);
        let result = Journal::create(storage, &log.dir(), header.into(), Durability::Flush);
        assert!(
            matches!(result, Err(CreateError::Header(_))),
            "{header:?} was accepted"
        );
        assert!(!log.dir().exists());
    }
}

#[test]
fn directories_are_synced_after_file_content() {
    let (log, disk) = (Log::nowhere(), Disk::default());
    create_on(disk.storage(), &log.dir()).expect("created");
    let writes: Vec<Op> = disk
        .trace()
        .into_iter()
        .filter(|op| !matches!(op, Op::PathStatus | Op::FileStatus | Op::Remove))
        .collect();
    let expected = [
        Op::CreateDir,
        Op::CreateNew,
        Op::Append,
        Op::SyncData,
        Op::Rename,
        Op::SyncDir,
        Op::SyncDir,
    ];
    assert_eq!(writes, expected);
}

#[test]
fn a_failed_creation_leaves_nothing() {
    let steps = [
        Op::CreateNew,
        Op::Append,
        Op::SyncData,
        Op::FileStatus,
        Op::Rename,
        Op::SyncDir,
    ];
    for step in steps {
        let (log, disk) = (Log::nowhere(), Disk::default());
        disk.fail(step, 0, Fault::Error(Errno::ENOSPC));
        let failed = create_on(disk.storage(), &log.dir()).map(drop);
        assert!(matches!(failed, Err(CreateError::Io(_))), "{step:?}");
        assert!(!log.dir().exists(), "{step:?}");
        create_on(disk.storage(), &log.dir())
            .map(drop)
            .expect("created");
    }
}

#[test]
fn a_record_is_synced_before_its_proof_exists() {
    let (log, disk) = (Log::of(&[]), Disk::default());
    let opened = crate::log::open_on(disk.storage(), &log.dir(), None)
        .expect("opened")
        .0;
    let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Sync);
    disk.trace();
    let _ = append(&mut journal, "one").expect("appended");
    assert_eq!(disk.trace(), [Op::PathStatus, Op::Append, Op::SyncData]);
}

#[test]
fn an_appended_record_has_its_position() {
    let log = Log::nowhere();
    let mut journal = log.create();
    let first = append(&mut journal, "one").expect("appended");
    let second = append(&mut journal, "two").expect("appended");
    assert_eq!((first.seq().get(), second.seq().get()), (1, 2));
    assert_eq!((first.prev().get(), second.prev().get()), (0, 1));
    let bytes = log.bytes();
    for appended in [&first, &second] {
        let place = appended.place();
        let start = usize::try_from(place.offset).expect("small");
        let end = usize::try_from(place.end()).expect("small");
        assert_eq!(&bytes[start..end], appended.line());
        assert_eq!(bytes[end], b'\n');
    }
    assert_eq!(journal.end(), bytes.len() as u64);
}

#[test]
fn a_record_that_is_too_long_is_refused_before_anything_is_written() {
    let log = Log::of(&["one"]);
    let before = log.bytes();
    let mut journal = log.journal();
    let refused = append(&mut journal, &"x".repeat(MAX_RECORD));
    assert!(matches!(
        refused,
        Err(AppendError::Invalid(InvalidRecord::TooLarge { .. }))
    ));
    assert_eq!(log.bytes(), before);
    let frame = append(&mut journal, "").expect("appended").line().len();
    let longest = "x".repeat(MAX_RECORD - frame);
    assert_eq!(
        append(&mut journal, &longest)
            .expect("appended")
            .line()
            .len(),
        MAX_RECORD
    );
    assert!(append(&mut journal, &(longest + "x")).is_err());
    assert_eq!(log.open().1.len(), 3);
}

#[test]
fn a_record_that_cannot_be_encoded_is_not_written() {
    let log = Log::of(&["one"]);
    let before = log.bytes();
    let mut journal = log.journal();
    let refused = journal.append(|_| Err(io::Error::other("no")));
    assert!(matches!(refused, Err(AppendError::Encode(_))));
    let foreign = journal.append(|_| Ok::<_, io::Error>(b"{\"seq\":77}".to_vec()));
    assert!(matches!(
        foreign,
        Err(AppendError::Invalid(InvalidRecord::Seq { .. }))
    ));
    assert_eq!(log.bytes(), before);
}

#[test]
fn a_thousand_records_of_unusual_text_are_read_back_unchanged() {
    let odd = [
        "",
        "\0",
        "\n",
        "\r\n",
        "\u{2028}\u{2029}",
        "\u{feff}",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
        "\u{7f}\u{85}",
        "\"crc\":\"00000000\"}",
        ",\"crc\":\"00000000\"}",
        "\\u0000",
        "\u{10ffff}",
        "e\u{301}",
    ];
    let texts: Vec<String> = (0..1000)
        .map(|n| format!("{}{n}{}", odd[n % odd.len()], odd[n / 7 % odd.len()]))
        .collect();
    let log = Log::nowhere();
    let mut journal = log.create();
    for text in &texts {
        let _ = append(&mut journal, text).expect("appended");
    }
    let (opened, records) = log.open();
    assert!(opened.report().damage.is_empty());
    assert_eq!(records.iter().map(text).collect::<Vec<_>>(), texts);
    assert_eq!(seqs(&records), (1..=1000).collect::<Vec<_>>());
    assert_eq!(log.lines().len(), 1001);
}
