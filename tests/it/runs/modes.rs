use scorel_proto::{RunMode, UpdateRun, UpdateRunParams};

use super::scene::RunScene;

#[tokio::test]
async fn in_chat_a_message_is_for_anything_and_the_run_stays_where_it_is() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let mode = |mode| UpdateRunParams {
        run_id: started.run_id,
        autopilot: None,
        mode: Some(mode),
        goto: None,
        command_id: None,
    };
    let run = scene.call::<UpdateRun>(&mode(RunMode::Chat)).await.run;
    assert_eq!(run.mode, RunMode::Chat);
    started.send("Is it late?").await;
    scene.model.wait_for_requests(2).await;
    let told = scene.told();
    assert_eq!(told.last().unwrap().trim_end(), "USER_INPUT\nIs it late?");
    scene.call::<UpdateRun>(&mode(RunMode::Run)).await;
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
    let phases = scene.records(started.session_id, "workflow.phase");
    let reasons: Vec<&str> = phases
        .iter()
        .map(|it| it["reason"].as_str().unwrap())
        .collect();
    assert_eq!(
        reasons,
        ["question", "message", "question"],
        "chat is no turn of the run"
    );
}
