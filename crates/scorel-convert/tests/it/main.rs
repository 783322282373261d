//! Documents and pages, converted by a child process. The test program is its own child, as the daemon
//! is.

#![expect(
    clippy::unwrap_used,
    reason = "these are tests, though without the usual harness"
)]

#[path = "pdf/bomb.rs"]
mod bomb;
#[path = "pdf/document.rs"]
mod document;
mod pages;

use std::fs::File;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Trial};
use scorel_convert::{PdfError, PdfPage, PdfText, read_pdf};

use document::Document;

/// The time limit of a document. One that is waited for in vain fails its test and does not hang it.
const LIMIT: Duration = Duration::from_secs(600);

fn main() -> ExitCode {
    if let Some(code) = scorel_convert::run_if_asked() {
        return code;
    }
    if std::env::args().nth(1).as_deref() == Some(pages::DAEMON) {
        return pages::daemon();
    }
    let mut trials = vec![
        trial("pages_are_read_in_order", pages_are_read_in_order),
        trial("a_page_that_cannot_be_read_is_marked", a_bad_page),
        trial("a_document_without_text_is_an_error", pictures_only),
        trial("an_encrypted_document_is_an_error", encrypted),
        trial("garbage_is_an_error", garbage),
        trial("every_prefix_of_a_document_is_survived", prefixes),
        trial("a_document_that_wants_all_memory_is_an_error", a_bomb),
        trial("a_document_that_nests_without_end_is_an_error", nested),
        trial("a_large_document_is_an_error", too_large),
        trial("a_reader_that_is_told_to_stop_stops", stopped),
        trial("a_page_without_end_is_cut", endless_page),
    ];
    trials.extend(pages::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial(name: &str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

fn file(content: &[u8]) -> File {
    use std::io::{Seek as _, Write as _};
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file.rewind().unwrap();
    file
}

fn read(content: &[u8]) -> Result<PdfText, PdfError> {
    let until = Instant::now() + LIMIT;
    read_pdf(file(content), &mut || Instant::now() < until)
}

fn text(page: &PdfPage) -> &str {
    match page {
        PdfPage::Text(text) => text.trim(),
        PdfPage::Unreadable => panic!("an unreadable page"),
    }
}

fn pages_are_read_in_order() {
    let mut document = Document::default();
    document.page("First page");
    document.page("Second page");
    let read = read(&document.build()).unwrap();
    let texts: Vec<&str> = read.pages.iter().map(text).collect();
    assert_eq!(texts, ["First page", "Second page"]);
    assert_eq!((read.total_pages, read.is_whole), (2, true));
}

fn a_bad_page() {
    let mut document = Document::default();
    document.page("Good page");
    document.content("BT /Missing 12 Tf (never) Tj ET");
    document.page("Another one");
    let read = read(&document.build()).unwrap();
    assert_eq!(read.pages[1], PdfPage::Unreadable);
    assert_eq!(text(&read.pages[2]), "Another one");
    assert!(read.is_whole);
}

fn pictures_only() {
    let mut document = Document::default();
    document.content("0 0 100 100 re f");
    let read = read(&document.build());
    assert!(
        matches!(read, Err(PdfError::NoText { pages: 1 })),
        "{read:?}"
    );
}

fn encrypted() {
    let mut document = Document::default();
    document.page("Secret");
    let read = read(&document.encrypted());
    assert!(matches!(read, Err(PdfError::Encrypted)), "{read:?}");
}

fn garbage() {
    for content in [&b""[..], b"%PDF-1.7", b"not at all", &[0; 1000]] {
        let read = read(content);
        assert!(matches!(read, Err(PdfError::Damaged)), "{read:?}");
    }
}

fn prefixes() {
    let mut document = Document::default();
    document.page("Some text");
    let whole = document.build();
    for length in (0..whole.len()).step_by(37) {
        // Whatever it is, it is an answer.
        let _answer = read(&whole[..length]);
    }
}

fn a_bomb() {
    let read = read(&bomb::bomb());
    assert!(read.is_err(), "{read:?}");
}

fn nested() {
    let content = format!("%PDF-1.7\n1 0 obj\n{}\n", "[".repeat(4_000_000));
    let read = read(content.as_bytes());
    assert!(read.is_err(), "{read:?}");
}

fn too_large() {
    let file = tempfile::tempfile().unwrap();
    file.set_len(65 * 1024 * 1024).unwrap();
    let read = read_pdf(file, &mut || true);
    assert!(matches!(read, Err(PdfError::TooLarge { .. })), "{read:?}");
}

fn stopped() {
    let mut document = Document::default();
    document.page("Some text");
    let read = read_pdf(file(&document.build()), &mut || false);
    assert!(matches!(read, Err(PdfError::Stopped)), "{read:?}");
}

fn endless_page() {
    let mut document = Document::default();
    document.page(&"many words ".repeat(100_000));
    document.page("The last page");
    let read = read(&document.build()).unwrap();
    assert!(text(&read.pages[0]).len() <= 256 * 1024);
    assert_eq!(text(&read.pages[1]), "The last page");
}
