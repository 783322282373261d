use std::fs;
use std::path::PathBuf;

use futures_util::future::join_all;
use scorel_testkit::WireApi;

use super::lines::lines;
use super::normalised::{Normaliser, outline};
use super::scene::Scene;
use super::wire_model::WireModel;

/// Set this variable to write the goldens anew; then read the difference.
const REWRITE: &str = "SCOREL_REWRITE_GOLDENS";

/// The mark that the last of all tools has over the wire that marks what is cached.
const LAST_MARK: &str = ",\"cache_control\":{\"type\":\"ephemeral\"}";

/// The share of the requests that a golden has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    Whole,
    /// Of all wires but the first, later requests have no long texts.
    Outlined,
}

/// Plays a scene on every wire, whose endpoint must accept all of it, and compares the requests with
/// the golden.
pub(super) async fn golden(name: &str, play: impl AsyncFn(&mut Scene)) {
    golden_in(name, Detail::Whole, play).await;
}

/// A golden of long texts, which are whole in the requests of the first wire, and in the first request of each.
pub(crate) async fn long_golden(name: &str, play: impl AsyncFn(&mut Scene)) {
    golden_in(name, Detail::Outlined, play).await;
}

async fn golden_in(name: &str, detail: Detail, play: impl AsyncFn(&mut Scene)) {
    let scenes = WireApi::ALL.map(|api| Box::pin(played(name, api, detail, &play)));
    let sections = join_all(scenes).await;
    compare(&format!("{name}.txt"), &sections.join("\n"));
}

async fn played(
    name: &str,
    api: WireApi,
    detail: Detail,
    play: &impl AsyncFn(&mut Scene),
) -> String {
    let mut scene = Scene::over(api).await;
    play(&mut scene).await;
    let rejections = scene.endpoint.rejections();
    assert_eq!(rejections, [""; 0], "{name} over {}", api.name());
    assert_eq!(scene.endpoint.remaining(), 0, "{name} over {}", api.name());
    let is_whole = detail == Detail::Whole || api == WireApi::ALL[0];
    section(&scene, is_whole)
}

/// The requests that were sent over one wire.
fn section(scene: &Scene, is_whole: bool) -> String {
    let model = scene.model;
    let mut text = format!(
        "=== {}: {}:{}\n",
        model.api.name(),
        model.provider,
        model.id
    );
    let mut normaliser = Normaliser::of(scene);
    let mut before = Vec::new();
    for (number, request) in (1..).zip(scene.endpoint.server().requests()) {
        let body = normaliser.body(&request);
        let lines = without_tools(model, &lines(&body));
        let lines: Vec<String> = lines
            .iter()
            .map(|line| normaliser.shortened(line))
            .collect();
        let (method, path) = (&request.method, &request.path);
        text.push_str(&format!("\n--- request {number}: {method} {path}\n"));
        let is_whole = is_whole || number == 1;
        text.push_str(&shown(&lines, &before, |line| match is_whole {
            true => line.to_owned(),
            false => outline(line),
        }));
        before = lines;
    }
    text
}

/// The lines with names in the place of the tools, which have goldens of their own.
fn without_tools<'a>(model: WireModel, lines: &[&'a str]) -> Vec<&'a str> {
    let begin = lines.iter().position(|line| line.contains("\"tools\":["));
    let Some(begin) = begin.map(|at| at + 1) else {
        return lines.to_vec();
    };
    let count = lines[begin..].iter().position(|line| *line == "]").unwrap();
    let tools = &lines[begin..begin + count];
    // Those of a run come behind the others.
    let is_of_run = |line: &&str| line.contains("\"name\":\"fs_");
    let common = tools.iter().position(is_of_run).unwrap_or(count);
    let (common, of_run) = tools.split_at(common);
    let (of_run, end) = of_run.split_at(of_run.iter().take_while(|it| is_of_run(it)).count());
    let common = [common, end].concat();
    let api = model.api.name();
    let (file, text) = (format!("tools.{api}.txt"), common.join("\n"));
    if of_run.is_empty() {
        compare(&file, &text);
        return [&lines[..begin], &["<tools>"], &lines[begin + count..]].concat();
    }
    if std::env::var_os(REWRITE).is_none() {
        let golden = fs::read_to_string(directory().join(&file)).unwrap();
        assert_eq!(text, golden.replace(LAST_MARK, ""), "{file}");
    }
    compare(&format!("tools.of-runs.{api}.txt"), &of_run.join("\n"));
    let names = ["<tools>", "<tools of runs>"];
    [&lines[..begin], &names, &lines[begin + count..]].concat()
}

/// The lines, without those that the request before has in the same place.
fn shown(lines: &[String], before: &[String], line: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    let same = |at: usize| before.get(at) == lines.get(at);
    let mut at = 0;
    while at < lines.len() {
        let count = (at..lines.len()).take_while(|at| same(*at)).count();
        if count > 1 {
            text.push_str(&format!("<the same {count} lines>\n"));
            at += count;
        } else {
            text.push_str(&line(&lines[at]));
            text.push('\n');
            at += 1;
        }
    }
    text
}

/// Compares a text with its golden, or writes that anew.
fn compare(file: &str, text: &str) {
    let path = directory().join(file);
    if std::env::var_os(REWRITE).is_some() {
        fs::create_dir_all(directory()).unwrap();
        fs::write(&path, text).unwrap();
        return;
    }
    let golden = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; set {REWRITE}=1", path.display()));
    let differing = (1..)
        .zip(text.lines().zip(golden.lines()))
        .find(|(_, (sent, golden))| sent != golden);
    if let Some((line, (sent, golden))) = differing {
        panic!("{file}:{line}: the golden has\n{golden}\nbut this was sent:\n{sent}");
    }
    assert_eq!(text.len(), golden.len(), "{file}: one has more lines");
}

pub(super) fn directory() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/golden/requests"))
}
