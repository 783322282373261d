//! A tool from outside in the list, over the engine and the gate.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, stream};
use scorel_config::ConfigSource;
use scorel_engine::{
    Effect, EngineEvent, HookChain, ModelInfo, ModelRequest, PendingCall, Permission, Provider,
    ProviderEvent, ProviderStream, Question, RetryPolicy, StopSignal, Tool, ToolCall, ToolClass,
    ToolList, ToolOutcome, ToolPlan, ToolSpec, TurnDriver, TurnLimits, TurnPorts, TurnProgress,
    TurnStep,
};
use scorel_permission::BaseDirs;
use scorel_proto::{Block, Context, ProjectId, StopReason, ThinkingLevel};
use scorel_session::TokioClock;
use serde_json::json;

use super::super::{CommandPlace, Gate, GateSettings, Grants};

/// A tool as an MCP server offers it: the daemon knows its schema and forwards its calls.
#[derive(Debug)]
struct OutsideTool {
    spec: ToolSpec,
    digest: Option<String>,
}

impl Tool for OutsideTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let effect = Effect::CallOutside {
            tool: self.spec.name.clone(),
            also: Vec::new(),
            input: call.input.clone(),
            digest: self.digest.clone(),
            reads_only: false,
        };
        let plan = ToolPlan::new(vec![effect], move |_, _| async move {
            ToolOutcome::success("done", &call.input)
        });
        std::future::ready(plan).boxed()
    }
}

/// A model that has nothing to say after the tools.
#[derive(Debug)]
struct SilentModel(ModelInfo);

impl Provider for SilentModel {
    fn model(&self) -> &ModelInfo {
        &self.0
    }

    fn stream(&self, _: ModelRequest) -> ProviderStream {
        let done = ProviderEvent::Done {
            stop_reason: StopReason::EndTurn,
            usage: None,
            charged: None,
            provider: None,
        };
        Box::pin(stream::iter([Ok(done)]))
    }
}

/// A daemon's home with a configuration.
struct ConfiguredHome {
    dir: tempfile::TempDir,
    grants: Grants,
    project: ProjectId,
    /// That of its tools.
    digest: Option<String>,
}

/// What became of the calls of a turn.
#[derive(Debug, Default)]
struct Played {
    /// The rules of the questions that were asked.
    asked: Vec<Vec<String>>,
    results: Vec<String>,
}

impl ConfiguredHome {
    fn new(permissions: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let text = format!("[permissions]\n{permissions}");
        fs::write(dir.path().join("config.toml"), text).unwrap();
        Self {
            grants: Grants::new(dir.path().join("grants.json")),
            dir,
            project: ProjectId::generate(),
            digest: None,
        }
    }

    /// Plays a turn with calls of these tools. Each question gets the answer; `lasting` ones count for
    /// the calls after it.
    async fn turn(
        &self,
        session: &[String],
        calls: &[&str],
        answer: Permission,
        lasting: bool,
    ) -> Played {
        let (ports, mut played) = (self.ports(session), Played::default());
        let gate = Arc::clone(&ports.gate);
        let call = |(id, name): (usize, &&str)| {
            PendingCall::from(ToolCall {
                id: format!("call_{id}"),
                name: (*name).to_owned(),
                input: json!({}),
                invalid_input: None,
            })
        };
        let calls = calls.iter().enumerate().map(call).collect();
        let (signal, progress) = (StopSignal::new(), TurnProgress::default());
        let mut driver = TurnDriver::with_calls(ports, signal, progress, calls);
        loop {
            match driver.next().await {
                TurnStep::NeedContext { .. } => driver.provide_context(Context::default()),
                TurnStep::NeedRoom(error) | TurnStep::NeedTools { error, .. } => {
                    panic!("{error:?}")
                }
                TurnStep::NeedPermission {
                    question: Question { rules, .. },
                    ..
                } => {
                    if lasting {
                        gate.allow(&rules);
                    }
                    played.asked.push(rules);
                    driver.provide_permission(answer.clone());
                }
                TurnStep::Event(EngineEvent::ToolResult { message, .. }) => {
                    let [Block::Text { text, .. }] = message.result().content.as_slice() else {
                        panic!("one text expected: {message:?}");
                    };
                    played.results.push(text.clone());
                }
                TurnStep::Event(_) => {}
                TurnStep::NeedSpending { .. }
                | TurnStep::NotReady(_)
                | TurnStep::Suspended
                | TurnStep::Parked => {
                    panic!("nothing is limited or stopped here")
                }
                TurnStep::Finished(_) => return played,
            }
        }
    }

    fn ports(&self, session: &[String]) -> TurnPorts {
        let source = ConfigSource::open(&self.dir.path().join("config.toml")).unwrap();
        let permissions = &source.current(None).permissions;
        let granted = self.grants.of(self.project).unwrap();
        let outside = |name: &str| -> Arc<dyn Tool> {
            Arc::new(OutsideTool {
                spec: ToolSpec {
                    name: name.to_owned(),
                    description: String::new(),
                    parameters: json!({ "type": "object" }).into(),
                    read_only: false,
                    class: ToolClass::Outside,
                },
                digest: self.digest.clone(),
            })
        };
        let tools = ["mcp__git__log", "mcp__git__push"].map(outside);
        TurnPorts {
            provider: Arc::new(SilentModel(ModelInfo {
                provider: "silent".to_owned(),
                id: "silent-1".to_owned(),
                context_window: 1_000,
                max_output_tokens: 100,
                price: None,
            })),
            tools: ToolList::new(tools.into()).unwrap(),
            gate: Arc::new(Gate::new(GateSettings {
                mode: permissions.mode,
                rules: permissions
                    .rules
                    .with_granted(granted.iter().chain(session)),
                base_dirs: BaseDirs::new(Path::new("/p"), Path::new("/home/u"), self.dir.path()),
                timeout: None,
                allow_at_timeout: false,
                commands: CommandPlace::Sandbox,
                hides_denied: true,
                channel: None,
            })),
            hooks: HookChain::default(),
            clock: Arc::new(TokioClock::new()),
            limits: TurnLimits::default(),
            retry: RetryPolicy::default(),
            system: String::new(),
            thinking: ThinkingLevel::Default,
        }
    }
}

const LOG: &str = "mcp__git__log";
const PUSH: &str = "mcp__git__push";

fn rule(tool: &str) -> Vec<String> {
    vec![format!("Tool({tool})")]
}

#[tokio::test]
async fn an_outside_tool_is_asked_about_and_can_be_refused() {
    for mode in ["readonly", "workspace"] {
        let home = ConfiguredHome::new(&format!("mode = \"{mode}\""));
        let refused = Permission::Refused("not run: no".to_owned());
        let played = home.turn(&[], &[LOG], refused, false).await;
        assert_eq!(played.asked, [rule(LOG)], "{mode}");
        assert_eq!(played.results, ["not run: no"]);
    }
}

#[tokio::test]
async fn an_outside_tool_can_be_granted_once() {
    let home = ConfiguredHome::new("");
    let played = home
        .turn(&[], &[LOG, LOG], Permission::Granted, false)
        .await;
    assert_eq!(played.asked, [rule(LOG), rule(LOG)]);
    assert_eq!(played.results, ["done", "done"]);
}

#[tokio::test]
async fn an_outside_tool_can_be_granted_for_the_session() {
    let home = ConfiguredHome::new("");
    let played = home
        .turn(&[], &[LOG, LOG, PUSH], Permission::Granted, true)
        .await;
    assert_eq!(played.asked, [rule(LOG), rule(PUSH)]);
    assert_eq!(played.results, ["done"; 3]);
    // The next turn of the session gets the rules that were folded from its log.
    let played = home
        .turn(&rule(LOG), &[LOG], Permission::Granted, false)
        .await;
    assert!(played.asked.is_empty(), "{played:?}");
}

#[tokio::test]
async fn an_outside_tool_can_be_granted_always() {
    let home = ConfiguredHome::new("");
    let played = home.turn(&[], &[LOG], Permission::Granted, true).await;
    home.grants.add(home.project, &played.asked[0]).unwrap();
    let file = fs::read_to_string(home.dir.path().join("grants.json")).unwrap();
    assert!(file.contains("Tool(mcp__git__log)"), "{file}");
    let played = home
        .turn(&[], &[LOG, PUSH], Permission::Granted, false)
        .await;
    assert_eq!(played.asked, [rule(PUSH)]);
}

#[tokio::test]
async fn a_grant_for_a_tool_that_describes_itself_ends_when_it_changes() {
    let mut home = ConfiguredHome::new("");
    home.digest = Some("0123456789abcdef".to_owned());
    let played = home.turn(&[], &[LOG], Permission::Granted, true).await;
    assert_eq!(played.asked, [["Tool(mcp__git__log#0123456789ab)"]]);
    home.grants.add(home.project, &played.asked[0]).unwrap();
    let again = home.turn(&[], &[LOG], Permission::Granted, true).await;
    assert!(again.asked.is_empty(), "{again:?}");
    home.digest = Some("fedcba9876543210".to_owned());
    let changed = home.turn(&[], &[LOG], Permission::Granted, true).await;
    assert_eq!(changed.asked, [["Tool(mcp__git__log#fedcba987654)"]]);
}

#[tokio::test]
async fn rules_of_the_configuration_cover_outside_tools() {
    let home =
        ConfiguredHome::new("allow = [\"Tool(mcp__git__*)\"]\ndeny = [\"Tool(mcp__git__push)\"]");
    let played = home
        .turn(&[], &[LOG, PUSH], Permission::Granted, false)
        .await;
    assert!(played.asked.is_empty(), "{played:?}");
    let denied = "not run: the rule Tool(mcp__git__push) denies it";
    assert_eq!(played.results, ["done", denied]);
}

#[tokio::test]
async fn the_mode_full_runs_outside_tools() {
    let home = ConfiguredHome::new("mode = \"full\"");
    let played = home
        .turn(&[], &[LOG, PUSH], Permission::Granted, false)
        .await;
    assert!(played.asked.is_empty(), "{played:?}");
    assert_eq!(played.results, ["done", "done"]);
}
