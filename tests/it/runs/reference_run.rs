//! The reference run over each wire: the same calls, documents and phases, and requests that begin with the one before.

use std::fs;

use scorel_proto::{
    CheckWorkflow, CheckWorkflowParams, GetRun, GetRunParams, GetRunResult, RunId, SessionId,
    StartRun, StartRunParams,
};
use scorel_testkit::{OtherReader, ResponseGate, WireApi};
use serde_json::{Value, json};

use super::script::{DocumentState, ModelCall, Script, ToolCall};
use crate::requests::{ReadRequest, Scene, long_golden, reached};
use crate::under_test::{Watch, connect, send, session};

/// The text that a part with this name in the script has.
fn head(told: &str) -> String {
    let (part, of) = told.split_once(' ').unwrap();
    match part {
        "RUN_DIRECTIVE" => format!("RUN_DIRECTIVE\n- runType: bmad-micro\n- intent: {of}\n"),
        "NODE_BRIEF" => format!("NODE_BRIEF\n- currentNodeId: {of}\n"),
        "AGENT_PERSONA" => format!("AGENT_PERSONA\n- agentId: {of}\n"),
        "USER_INPUT" => format!("USER_INPUT\n- forNodeId: {of}\n"),
        other => panic!("{other}"),
    }
}

/// The run in a daemon whose model is at the strict endpoint of a wire.
struct WireRun<'a> {
    scene: &'a Scene,
    script: &'a Script,
    run: RunId,
    session: SessionId,
    watch: Watch,
}

impl<'a> WireRun<'a> {
    async fn start(scene: &'a Scene, script: &'a Script) -> Self {
        script.stage(&scene.daemon);
        let check = CheckWorkflowParams {
            workflow: Some(script.workflow.clone()),
            ..CheckWorkflowParams::default()
        };
        let client = &scene.client;
        let checked = client.call::<CheckWorkflow>(&check).await.unwrap();
        let project_id = session(client, scene.session).await.project_id;
        let params = StartRunParams {
            project_id,
            workflow: script.workflow.clone(),
            confirm: checked.digest.unwrap(),
            agent_id: None,
            autopilot: Some(script.autopilot),
            variables: None,
            input: None,
            model: None,
            workspace: None,
            command_id: None,
        };
        let started = client.call::<StartRun>(&params).await.unwrap();
        let watching = connect(&scene.daemon.socket()).await;
        let watch = Watch::from_start(&watching, started.session_id).await;
        Self {
            scene,
            script,
            run: started.run_id,
            session: started.session_id,
            watch,
        }
    }

    async fn found(&self) -> GetRunResult {
        let params = GetRunParams { run_id: self.run };
        self.scene.client.call::<GetRun>(&params).await.unwrap()
    }

    /// Waits until the run is in the phase in which a turn has left it.
    async fn rests(&mut self, phase: &str) {
        loop {
            let event = self.watch.next().await;
            if event["kind"] == "workflow.phase" && event["data"]["to"] == phase {
                return;
            }
        }
    }

    /// Checks document and phase behind a call, and returns the document.
    async fn check(&self, call: &ModelCall) -> String {
        let found = self.found().await;
        let api = self.scene.model.api.name();
        assert_eq!(found.run.phase.name(), call.phase, "{api}: {}", call.id);
        let state = DocumentState {
            node: found.run.node_id,
            completed: found.steps_completed,
            variables: found.variables,
            artifacts: found.artifacts,
        };
        // The run is at its first node before the document says so.
        let mut expected = call.after.clone();
        if expected.node.is_empty() {
            expected.node = "step-01-select-story".to_owned();
        }
        assert_eq!(state, expected, "{api}: {}", call.id);
        fs::read_to_string(found.document).unwrap()
    }

    /// Each call of the model, with the document behind it.
    async fn play(&mut self, gates: &[ResponseGate]) -> Vec<String> {
        let mut documents = Vec::new();
        for (number, call) in self.script.calls.iter().enumerate() {
            reached(&gates[number]).await;
            gates[number].open();
            if call.ends_turn() {
                self.rests(&call.phase).await;
                documents.push(self.check(call).await);
                if number + 1 < self.script.calls.len() {
                    send(&self.scene.client, self.session, &self.script.input).await;
                }
            } else {
                // The next request is on its way once all of this call is recorded.
                reached(&gates[number + 1]).await;
                documents.push(self.check(call).await);
            }
        }
        documents
    }

    /// Checks what each call of a tool has led to.
    fn check_results(&self) {
        let log = self.scene.daemon.log(&self.session.to_string());
        let result = |call: &ToolCall| {
            let of_it = |it: &&Value| it["message"]["content"][0]["toolUseId"] == call.id.as_str();
            let found = log.iter().find(of_it);
            let found = found.unwrap_or_else(|| panic!("no result of {}", call.id));
            found["message"]["content"][0].to_string()
        };
        for call in self.script.calls.iter().flat_map(|it| &it.calls) {
            let text = result(call);
            match &call.error {
                Some(code) => assert!(text.contains(code), "{}: {text}", call.id),
                None => assert!(text.contains("\\\"ok\\\":true"), "{}: {text}", call.id),
            }
        }
        let records = |kind: &str| -> Vec<Value> {
            let of_kind = log.iter().filter(|it| it["kind"] == kind);
            of_kind.map(|it| it["data"].clone()).collect()
        };
        let states = records("workflow.state");
        let of_calls = states.iter().filter(|it| it["cause"] == "patch");
        let last = self.script.calls.last().unwrap();
        assert_eq!(of_calls.count(), last.after.completed.len());
        let calls = records("workflow.engine_turn");
        assert_eq!(calls.len(), self.script.calls.len());
        for call in &calls {
            let (tools, first) = (&call["toolSetDigest"], &calls[0]["toolSetDigest"]);
            assert!(tools.is_string() && tools == first, "{call}");
        }
    }

    /// Checks that each request begins with all of the one before, and what it tells besides.
    fn check_requests(&self) {
        let requests = self.scene.endpoint.server().requests();
        assert_eq!(requests.len(), self.script.calls.len());
        let read: Vec<ReadRequest> = requests.iter().map(ReadRequest::of).collect();
        for (pair, call) in read.windows(2).zip(&self.script.calls[1..]) {
            let api = self.scene.model.api.name();
            assert!(pair[1].continues(&pair[0]), "{api}: {}", call.id);
        }
        let mut before = 0;
        for (request, call) in read.iter().zip(&self.script.calls) {
            let new = request.parts_from(before).join("\n");
            for told in &call.told {
                let text = Value::from(head(told)).to_string();
                let text = text.trim_matches('"');
                assert!(new.contains(text), "{}: no {told} in {new}", call.id);
            }
            before = request.len();
        }
    }
}

/// Beside what other wires were told by a run, the documents of this one are read by other programs.
#[tokio::test(flavor = "multi_thread")]
async fn the_reference_run_is_the_same_over_each_wire() {
    let script = Script::read();
    long_golden("run", async |scene: &mut Scene| {
        let gates: Vec<ResponseGate> = script.calls.iter().map(|_| ResponseGate::new()).collect();
        for (call, gate) in script.calls.iter().zip(&gates) {
            scene.reply(call.reply().hold(gate));
        }
        let mut run = WireRun::start(scene, &script).await;
        let documents = run.play(&gates).await;
        script.check_files(&scene.daemon);
        run.check_results();
        run.check_requests();
        if scene.model.api == WireApi::OpenAiCompletions {
            are_valid(documents);
        }
    })
    .await;
}

/// Checks documents by the schemas of the format, as `yaml` reads them.
fn are_valid(documents: Vec<String>) {
    let (Some(yaml), Some(ajv)) = (OtherReader::yaml(), OtherReader::ajv()) else {
        return;
    };
    let heads = yaml.answers(documents.into_iter().map(Value::from).collect());
    let lines = heads
        .iter()
        .map(|it| json!({"schema": "workflow-frontmatter", "value": it["values"]}));
    for verdict in ajv.answers(lines.collect()) {
        assert_eq!(verdict["valid"], true, "{verdict}");
    }
}
