//! Pages that are converted. The test program is its own converter, as the daemon is.

#![expect(
    clippy::unwrap_used,
    reason = "these are tests, though without the usual harness"
)]

#[expect(dead_code, reason = "the other tests need more of it")]
#[path = "../it/server.rs"]
mod server;

use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use scorel_fetch::{FetchError, FetchLimits, Fetched};

use server::{Server, typed};

/// So that what is waited for in vain fails its test and does not hang it.
const PATIENCE: Duration = Duration::from_secs(300);

fn main() -> ExitCode {
    if let Some(code) = scorel_convert::run_if_asked() {
        return code;
    }
    let trials = vec![
        trial("a_page_is_reduced_to_its_text_with_links", reduced),
        trial("time_limits_end_the_work", monsters_end),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial<F: Future<Output = ()> + 'static>(name: &str, test: fn() -> F) -> Trial {
    Trial::test(name, move || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build()?;
        let bounded = async { tokio::time::timeout(PATIENCE, test()).await };
        Ok(runtime.block_on(bounded)?)
    })
}

async fn reduced() {
    let html =
        "<html><title>T</title><h1>Head</h1><script>x()</script><p>See <a href='/y'>this</a>.";
    let server = Server::new(move |_| typed("text/html; charset=utf-8", html)).await;
    let page = server.page("/a/b").await;
    assert_eq!(
        page.text,
        format!("# Head\n\nSee [this]({}).\n", server.url("/y"))
    );
    assert_eq!((page.status, page.media_type.as_str()), (200, "text/html"));
    assert_eq!(page.bytes, html.len() as u64);
}

/// More pages than are converted at once, each of which takes minutes; then one of a line.
async fn monsters_end() {
    let monster = format!("{}{}", "<blockquote>".repeat(500), "word ".repeat(900_000));
    let server = Server::new(move |path| match path {
        "/small" => typed("text/html", "<p>small"),
        _ => typed("text/html", &monster),
    })
    .await;
    let limits = FetchLimits {
        total: Duration::from_secs(2),
        ..FetchLimits::default()
    };
    let fetcher = server.fetcher(limits);
    let url = server.url("/monster");
    let pages = futures_util::future::join_all((0..6).map(|_| fetcher.fetch(&url)));
    for fetched in pages.await {
        assert_eq!(fetched, Err(FetchError::TimedOut(limits.total)));
    }
    while !converters().is_empty() {
        tokio::task::yield_now().await;
    }
    match server.fetch("/small").await {
        Ok(Fetched::Page(page)) => assert_eq!(page.text, "small\n"),
        other => panic!("{other:?}"),
    }
}

/// The processes that convert a page for this one.
fn converters() -> Vec<String> {
    let mut children = Vec::new();
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        // A thread may end meanwhile.
        let of_task = std::fs::read_to_string(task.unwrap().path().join("children"));
        children.extend(
            of_task
                .unwrap_or_default()
                .split_whitespace()
                .map(str::to_owned),
        );
    }
    children
}
