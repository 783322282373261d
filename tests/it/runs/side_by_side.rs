//! Many runs at once, with one daemon and one model.

use std::fs;

use futures_util::future::join_all;
use scorel_proto::{RunPhase, StartRunParams};
use scorel_testkit::ScriptedResponse;
use serde_json::{Map, Value, json};

use super::answers::{calls, ends, patches, reads_document, results, said_by_user};
use super::scene::{RunScene, said};

const RUNS: usize = 20;

fn name(number: usize) -> String {
    format!("cat-{number:02}")
}

/// The names of the runs that a request speaks of.
fn named(request: &Value) -> Vec<String> {
    let text = request["messages"].to_string();
    let all = (0..RUNS).map(name);
    all.filter(|it| text.contains(it.as_str())).collect()
}

/// A model that knows nothing but the request: it writes the file that is asked for, and leads the run to its end.
fn answer(request: &Value) -> ScriptedResponse {
    let words = said_by_user(request).into_iter().find_map(|it| {
        let (_, words) = it.split_once("USER_INPUT\n- forNodeId: ask\n")?;
        Some(words.to_owned())
    });
    let name = words.expect("the run has an input");
    let path = format!("@project/artifacts/{name}.md");
    let moves = |from: &str, to: &str, more: Value| {
        let mut update =
            json!({"stepsCompleted": {"append": [from]}, "currentNodeId": {"set": to}});
        update
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        patches(&update)
    };
    match results(request).len() {
        0 => reads_document(),
        1 => moves("ask", "write", json!({"variables": {"set": {"cat": name}}})),
        2 => calls(
            "fs_write",
            &json!({"path": path, "content": format!("Of {name}\n")}),
        ),
        3 => moves("write", "end", json!({"artifacts": {"append": [path]}})),
        4 => ends("end"),
        _ => said("Done."),
    }
    .into()
}

#[tokio::test]
async fn twenty_runs_come_to_their_ends_and_no_artifact_is_anothers() {
    let scene = RunScene::new().await;
    scene.model.answer_with(|request| answer(&request.json()));
    let plan = scene.plan().await;
    let starts = (0..RUNS).map(|number| StartRunParams {
        input: Some(name(number)),
        variables: Some(Map::from_iter([("number".to_owned(), json!(number))])),
        ..plan.clone()
    });
    let starts: Vec<StartRunParams> = starts.collect();
    let started = join_all(starts.iter().map(|params| scene.start_with(params))).await;
    let ended = started
        .into_iter()
        .enumerate()
        .map(async |(number, mut run)| {
            run.until("Completed", "end_reached").await;
            (number, run)
        });
    for (number, run) in join_all(ended).await {
        let name = name(number);
        let found = scene.get(run.run_id).await;
        assert_eq!(found.run.phase, RunPhase::Completed);
        assert_eq!(found.steps_completed, ["ask", "write", "end"]);
        assert_eq!(found.artifacts, [format!("@project/artifacts/{name}.md")]);
        assert_eq!(
            Value::from(found.variables),
            json!({"cat": name, "number": number})
        );
        let artifact = scene.daemon.project().join(format!("artifacts/{name}.md"));
        assert_eq!(
            fs::read_to_string(artifact).unwrap(),
            format!("Of {name}\n")
        );
        let states = scene.records(run.session_id, "workflow.state");
        let nodes: Vec<&Value> = states.iter().map(|it| &it["currentNodeId"]).collect();
        assert_eq!(nodes, ["ask", "write", "end", "end"]);
    }
    let requests = scene.model.requests();
    assert_eq!(requests.len(), RUNS * 6);
    for request in requests {
        assert_eq!(
            named(&request.json()).len(),
            1,
            "runs are not told of others"
        );
    }
    let artifacts = fs::read_dir(scene.daemon.project().join("artifacts")).unwrap();
    assert_eq!(artifacts.count(), RUNS);
}
