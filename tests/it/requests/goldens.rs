use std::fs;
use std::path::PathBuf;

use futures_util::future::join_all;
use scorel_testkit::WireApi;

use super::lines::lines;
use super::normalised::Normaliser;
use super::scene::Scene;
use super::wire_model::WireModel;

/// Set this variable to write the goldens anew; then read the difference.
const REWRITE: &str = "SCOREL_REWRITE_GOLDENS";

/// Plays a scene on every wire, whose endpoint must accept all of it, and compares the requests with
/// the golden.
pub(super) async fn golden(name: &str, play: impl AsyncFn(&mut Scene)) {
    let scenes = WireApi::ALL.map(|api| Box::pin(played(name, api, &play)));
    let sections = join_all(scenes).await;
    compare(&format!("{name}.txt"), &sections.join("\n"));
}

async fn played(name: &str, api: WireApi, play: &impl AsyncFn(&mut Scene)) -> String {
    let mut scene = Scene::over(api).await;
    play(&mut scene).await;
    let rejections = scene.endpoint.rejections();
    assert_eq!(rejections, [""; 0], "{name} over {}", api.name());
    assert_eq!(scene.endpoint.remaining(), 0, "{name} over {}", api.name());
    section(&scene)
}

/// The requests that were sent over one wire.
fn section(scene: &Scene) -> String {
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
        text.push_str(&shown(&lines, &before));
        before = lines;
    }
    text
}

/// The lines with a name in the place of the tools, which have a golden of their own.
fn without_tools<'a>(model: WireModel, lines: &[&'a str]) -> Vec<&'a str> {
    let begin = lines.iter().position(|line| line.contains("\"tools\":["));
    let Some(begin) = begin.map(|at| at + 1) else {
        return lines.to_vec();
    };
    let count = lines[begin..].iter().position(|line| *line == "]").unwrap();
    let tools = &lines[begin..begin + count];
    compare(
        &format!("tools.{}.txt", model.api.name()),
        &tools.join("\n"),
    );
    [&lines[..begin], &["<tools>"], &lines[begin + count..]].concat()
}

/// The lines, without those that the request before has in the same place.
fn shown(lines: &[String], before: &[String]) -> String {
    let mut text = String::new();
    let same = |at: usize| before.get(at) == lines.get(at);
    let mut at = 0;
    while at < lines.len() {
        let count = (at..lines.len()).take_while(|at| same(*at)).count();
        if count > 1 {
            text.push_str(&format!("<the same {count} lines>\n"));
            at += count;
        } else {
            text.push_str(&lines[at]);
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
