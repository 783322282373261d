//! Web pages.

use std::fs;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use scorel_convert::{HtmlError, html_to_text};
use url::Url;

use crate::{LIMIT, trial};

/// Has the test program convert a page that takes minutes.
pub(crate) const DAEMON: &str = "--convert-a-monster";

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a_page_becomes_markdown", markdown),
        trial("pages_of_every_shape_end", || {
            shapes(Duration::from_millis(40));
        }),
        trial("pages_of_every_shape_end_by_themselves", || shapes(LIMIT)).with_ignored_flag(true),
        trial("a_page_that_takes_all_time_is_an_error", all_time),
        trial("a_page_that_is_stopped_leaves_nothing_behind", stopped),
        trial("a_killed_daemon_leaves_no_converter_behind", killed),
    ]
}

/// The part of the test program that is killed.
pub(crate) fn daemon() -> ExitCode {
    let _ended = convert(&monster(), Duration::from_secs(600));
    ExitCode::FAILURE
}

fn convert(html: &str, limit: Duration) -> Result<String, HtmlError> {
    let base = Url::parse("https://a.org/docs/").unwrap();
    let until = Instant::now() + limit;
    html_to_text(html, &base, &mut || Instant::now() < until)
}

/// A page of 5 MB.
fn monster() -> String {
    "<blockquote>".repeat(500) + &"word ".repeat(1_000_000)
}

fn markdown() {
    let text = convert("<h1>Ä</h1>\n<a href=x>y</a>", LIMIT).unwrap();
    assert_eq!(text, "# Ä\n\n[y](https://a.org/docs/x)\n");
    assert_eq!(convert("", LIMIT).unwrap(), "");
    let deep = convert(&"<div>".repeat(600), LIMIT).unwrap_err();
    assert_eq!(deep.to_string(), "elements are nested too deeply");
    let long = convert(&"x".repeat(21 << 20), LIMIT).unwrap_err();
    assert!(matches!(long, HtmlError::TooLarge { .. }), "{long}");
}

/// Whatever a page is, it is an answer or an error.
fn shapes(limit: Duration) {
    let many = |part: &str, count| part.repeat(count);
    let elements = [
        "a href=x",
        "b",
        "blockquote",
        "button",
        "center",
        "code",
        "dd",
        "details",
        "div",
        "dl",
        "em",
        "font",
        "form",
        "frameset",
        "h1",
        "i",
        "li",
        "math",
        "ol",
        "option",
        "p",
        "pre",
        "q",
        "s",
        "select",
        "span",
        "strong",
        "sub",
        "svg",
        "table",
        "td",
        "template",
        "tr",
        "u",
        "ul",
    ];
    let mut pages: Vec<String> = elements
        .iter()
        .map(|name| many(&format!("<{name}>x "), 20_000))
        .collect();
    pages.extend([
        many("<b><p>", 5_000),
        many("<a><p>x", 5_000),
        many("<b><i></b></i>x", 20_000),
        many("<table><tr><td>", 400) + "x",
        many("<table>x", 20_000),
        many("<ul><li>x", 400),
        many("<ol start=-9223372036854775808><li>", 200),
        many("<pre><blockquote>x\n", 200) + &many("line\n", 20_000),
        many("<blockquote>x", 400),
        format!("<table>{}", many("<td colspan=1000 rowspan=65534>x", 5_000)),
        format!(
            "<table>{}",
            many("<tr><td colspan=4000000000 rowspan=0>x", 5_000)
        ),
        format!("<table>{}", many("<tr><td>x<td>y", 100_000)),
        format!("<table><tr>{}", many("<td>x", 19_000)),
        format!("<p {}>x", many("a=1 ", 200_000)),
        format!(
            "<p {}>x",
            (0..50_000).map(|n| format!("a{n}=1 ")).collect::<String>()
        ),
        format!("<p a='{}'>x", many("x", 4 << 20)),
        format!("<a href='{}'>x</a>", many("../", 1 << 20)),
        many("<a href='http://a.org/xxxxxxxxxxxxxxx'>y</a>", 50_000),
        format!("<img alt='{}'>", many("x", 4 << 20)),
        many("x", 4 << 20),
        many("字", 1 << 20),
        many("e\u{301}\u{302}", 1 << 19),
        many("\u{202e}\u{200b}", 1 << 19),
        many("&amp;&lt;&#x41;&NotEqualTilde;", 100_000),
        many("&", 1 << 20),
        format!("&#{};", many("9", 1 << 20)),
        many("<!--", 1 << 20),
        many("<!---->", 500_000),
        format!("<!--{}", many("-", 4 << 20)),
        many("<![CDATA[", 400_000),
        many("<svg><![CDATA[x]]>", 20_000),
        many("<script>", 400_000),
        many("<script><!--<script>", 100_000),
        many("<style>x</style>", 100_000),
        many("<textarea>", 200_000),
        many("<title>", 200_000),
        many("<plaintext>", 200_000),
        many("<noscript><p>", 20_000),
        many("<meta charset=utf-16><p>x", 50_000),
        many("<", 1 << 20),
        many("</p>", 400_000),
        many("<br>", 400_000),
        many("<hr>", 20_000),
        many("\n", 4 << 20),
        many("<p>", 400_000),
        many("<frame>", 100_000),
        many("<a name=x>", 20_000),
        many("<dl><dt>x<dd>", 300),
        many("<sup>1</sup>", 100_000),
        many("<select><option>", 20_000),
        many("<math><mi>", 20_000),
        many("<template><p>", 20_000),
    ]);
    for page in pages {
        let start: String = page.chars().take(40).collect();
        match convert(&page, limit) {
            Ok(text) => assert!(text.len() <= 16 << 20, "{start}"),
            Err(HtmlError::Process(error)) => panic!("{start}: {error}"),
            Err(_) => {}
        }
    }
}

fn all_time() {
    let page = "<blockquote>".repeat(500) + &"word ".repeat(80_000);
    let error = convert(&page, LIMIT).unwrap_err();
    assert!(matches!(error, HtmlError::TooMuchTime), "{error}");
}

fn stopped() {
    // The first time is for the input, which a process that is stopped before does not take.
    for limit in [0, 1, 300] {
        let error = convert(&monster(), Duration::from_millis(limit)).unwrap_err();
        assert!(matches!(error, HtmlError::Stopped), "{error}");
    }
}

fn killed() {
    let program = std::env::current_exe().unwrap();
    let mut daemon = Command::new(program)
        .arg(DAEMON)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let converter = wait(|| children(daemon.id()).into_iter().next());
    // Not before it has read the page: then it would end by itself.
    wait(|| (cpu_ticks(&converter)? > 10).then_some(()));
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    wait(|| cpu_ticks(&converter).is_none().then_some(()));
}

fn wait<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + LIMIT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "waited in vain");
        thread::yield_now();
    }
}

fn children(process: u32) -> Vec<String> {
    let mut found = Vec::new();
    for task in fs::read_dir(format!("/proc/{process}/task"))
        .into_iter()
        .flatten()
    {
        let of_task = fs::read_to_string(task.unwrap().path().join("children"));
        found.extend(
            of_task
                .unwrap_or_default()
                .split_whitespace()
                .map(str::to_owned),
        );
    }
    found
}

/// The processor time of a process; `None` if it has ended.
fn cpu_ticks(process: &str) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    (fields[0] != "Z").then(|| fields[11].parse().unwrap())
}
