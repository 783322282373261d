//! `scorelctl ext restart` and `ext logs`.

use serde_json::{Value, json};

use super::probe::{probe, probed};
use super::scene::{Scene, has};
use crate::under_test::scorelctl;

#[tokio::test]
async fn a_program_is_restarted_and_its_log_is_read_by_its_id() {
    if !has("python3") {
        return;
    }
    let scene = Scene::prepared(|daemon| {
        let mark = daemon.home().join("started");
        probe(&daemon.home().join("extensions"), "probe", &mark);
    })
    .await;
    let run = async |arguments: &[&str]| {
        let output = scorelctl(&scene.daemon, arguments, &[]).await;
        let [out, err] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
        (output.status.code(), out, err)
    };
    let (code, out, err) = run(&["ext", "logs", "probe"]).await;
    assert_eq!(
        (code, out.as_str()),
        (Some(0), ""),
        "it was not needed: {err}"
    );
    assert!(err.contains("written nothing"), "{err}");
    let mut talk = scene.talk().await;
    probed(&scene, &mut talk, "probe", &json!({})).await;
    let (code, out, _) = run(&["ext", "restart", "probe"]).await;
    assert_eq!((code, out.as_str()), (Some(0), "probe starts again\n"));
    probed(&scene, &mut talk, "probe", &json!({})).await;
    assert_eq!(scene.processes().await[0].starts, 2);
    let (_, out, _) = run(&["ext", "logs", "probe"]).await;
    assert_eq!(out, "started\nstarted\n");
    let (_, out, _) = run(&["--json", "ext", "logs", "probe"]).await;
    let log: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(log["log"], "started\nstarted");
    let (_, out, _) = run(&["ext", "list"]).await;
    assert!(out.contains("process   ready"), "{out}");
    for verb in ["restart", "logs"] {
        let (code, _, err) = run(&["ext", verb, "porbe"]).await;
        assert_ne!(code, Some(0));
        assert!(err.contains("did you mean probe?"), "{verb}: {err}");
        let (_, _, err) = run(&["ext", verb, "weather"]).await;
        assert!(err.contains("`scorelctl ext list`"), "{verb}: {err}");
    }
}
