//! Every key of the configuration, with the value that applies where no file sets it.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::Config;

/// A key that is not within a table of the user's own names.
pub(super) struct KnownKey {
    pub name: &'static str,
    /// The value where no file sets the key; `null` if there is none.
    pub default: fn(&Config) -> Value,
}

/// Tables whose keys are names of the user's own, or begin with one.
pub(super) const OWN_NAMES: [&str; 10] = [
    "channels.cron",
    "channels.webhook",
    "extensions",
    "hooks",
    "mcp.servers",
    "providers",
    "runners",
    "agents",
    "model.headers",
    "tools.environment.set",
];

macro_rules! keys {
    ($($name:literal => $default:expr,)*) => {
        /// In the order of the documentation.
        pub(super) const KEYS: &[KnownKey] = &[$(KnownKey { name: $name, default: $default },)*];
    };
}

keys! {
    "model.type" => |_| json!("builtin"),
    "model.provider" => |it| json!(it.model.provider()),
    "model.id" => |it| json!(it.model.model.id),
    "model.api" => none,
    "model.baseUrl" => none,
    "model.apiKeyEnv" => |it| json!(it.model.key_names.first()),
    "model.keyHeader" => none,
    "model.dialect" => none,
    "model.contextWindow" => none,
    "model.maxTokens" => none,
    "model.reasoning" => none,
    "model.thinkingLevels" => none,
    "model.images" => none,
    "model.thinkingLevel" => |it| named(&it.model.thinking),
    "model.stopSequences" => |_| json!([]),
    "model.price.input" => none,
    "model.price.output" => none,
    "model.price.cacheRead" => none,
    "model.price.cacheWrite" => none,
    "orchestrator.maxRunning" => |it| json!(it.orchestrator.max_running),
    "orchestrator.maxOpen" => |it| json!(it.orchestrator.max_open),
    "orchestrator.maxQueued" => |it| json!(it.orchestrator.max_queued),
    "orchestrator.maxSpawnsPerTurn" => |it| json!(it.orchestrator.max_spawns_per_turn),
    "orchestrator.maxDepth" => |it| json!(it.orchestrator.max_depth),
    "orchestrator.maxCost" => none,
    "workflow.allow" => |_| json!([]),
    "workflow.deny" => |_| json!([]),
    "workflow.maxReadBytes" => |it| json!(it.workflow.max_read_bytes),
    "workflow.maxWriteBytes" => |it| json!(it.workflow.max_write_bytes),
    "workflow.mcp" => |it| json!(it.workflow.mcp),
    "workflow.maxRunCost" => none,
    "workflow.maxRunTokens" => none,
    "workflow.maxSpawns" => none,
    "sessions.durability" => |it| named(&it.sessions.durability),
    "sessions.ringBytes" => |it| json!(it.sessions.ring_bytes),
    "sessions.idleUnloadSeconds" => |it| seconds(it.sessions.idle_unload),
    "sessions.trashDays" => |it| json!(it.sessions.trash_keep.as_secs() / (24 * 60 * 60)),
    "service.parkSeconds" => |it| seconds(it.service.park),
    "service.idleExitSeconds" => none,
    "runtime.maxSteps" => |it| json!(it.runtime.max_steps),
    "runtime.maxTurnSeconds" => |it| seconds(it.runtime.max_turn),
    "runtime.maxTurnTokens" => |it| json!(it.runtime.max_turn_tokens),
    "runtime.maxTurnCost" => none,
    "runtime.maxSessionCost" => none,
    "runtime.maxDayCost" => none,
    "runtime.maxWaitSeconds" => |it| seconds(it.runtime.max_wait),
    "runtime.maxToolCalls" => |it| json!(it.runtime.max_tool_calls),
    "runtime.retries" => |it| json!(it.runtime.retries),
    "runtime.connectSeconds" => |it| seconds(it.runtime.timeouts.connect),
    "runtime.firstByteSeconds" => |it| seconds(it.runtime.timeouts.first_byte),
    "runtime.providerIdleSeconds" => |it| seconds(it.runtime.timeouts.idle),
    "runtime.onRestart" => |it| named(&it.runtime.on_restart),
    "checkpoints.maxFileBytes" => |it| json!(it.checkpoints.max_file_bytes),
    "checkpoints.maxBytes" => |it| json!(it.checkpoints.max_bytes),
    "checkpoints.keepDays" => |it| json!(it.checkpoints.keep.as_secs() / (24 * 60 * 60)),
    "rpc.maxFrameIn" => |it| json!(it.rpc.frame_in),
    "rpc.maxFrameOut" => |it| json!(it.rpc.frame_out),
    "rpc.maxDepth" => |it| json!(it.rpc.nesting),
    "rpc.maxBatch" => |it| json!(it.rpc.batch),
    "rpc.maxValues" => |it| json!(it.rpc.values),
    "rpc.maxConnections" => |it| json!(it.rpc.connections),
    "rpc.maxCalls" => |it| json!(it.rpc.calls),
    "rpc.inFlightBytes" => |it| json!(it.rpc.in_flight),
    "rpc.maxSubscriptions" => |it| json!(it.rpc.subscriptions),
    "rpc.outboxBytes" => |it| json!(it.rpc.outbox),
    "rpc.writeTimeoutSeconds" => |it| seconds(it.rpc.write_timeout),
    "rpc.partialFrameSeconds" => |it| seconds(it.rpc.partial_frame),
    "rpc.drainSeconds" => |it| seconds(it.rpc.drain),
    "tools.preset" => |it| named(&it.tools.preset),
    "tools.caches" => |_| json!([]),
    "tools.hidden" => |_| json!([]),
    "tools.shown" => |_| json!([]),
    "tools.fetchPrivate" => |_| json!([]),
    "tools.limits.memory" => |it| json!(it.tools.limits.memory),
    "tools.limits.processes" => |it| json!(it.tools.limits.processes),
    "tools.limits.openFiles" => |it| json!(it.tools.limits.open_files),
    "tools.limits.fileSize" => |it| json!(it.tools.limits.file_size),
    "tools.limits.scratchSpace" => |it| json!(it.tools.limits.scratch_space),
    "tools.environment.loginShell" => |it| named(&it.tools.environment.login_shell),
    "tools.environment.pass" => |_| json!([]),
    "tools.environment.remove" => |_| json!([]),
    "permissions.mode" => |it| json!(it.permissions.mode.to_string()),
    "permissions.allow" => |_| json!([]),
    "permissions.ask" => |_| json!([]),
    "permissions.deny" => |_| json!([]),
    "permissions.builtinAsk" => |it| json!(it.permissions.builtin_ask().collect::<Vec<_>>()),
    "permissions.timeoutSeconds" => none,
    "permissions.atTimeout" => |_| json!("deny"),
    "compaction.reserveTokens" => |it| json!(it.compaction.reserve_tokens),
    "compaction.keepTokens" => |it| json!(it.compaction.keep_tokens),
    "compaction.summaryTokens" => |it| json!(it.compaction.summary_tokens),
    "channels.enabled" => |it| json!(it.channels.enabled),
    "mcp.disabled" => |_| json!([]),
    "mcp.clientDocument" => none,
    "auxiliary.model" => none,
    "prompt.text" => none,
    "attach.whileRunning" => |_| json!("followUp"),
    "attach.plain" => |_| json!(false),
}

const fn none(_: &Config) -> Value {
    Value::Null
}

fn seconds(time: Duration) -> Value {
    json!(time.as_secs())
}

/// The name of a choice, as it is in the file.
fn named<T: Serialize>(choice: &T) -> Value {
    serde_json::to_value(choice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::parse::parse;
    use crate::tests::schema_probe::known_in;

    #[test]
    fn every_key_of_the_schema_is_known_and_no_other() {
        let mut found = Vec::new();
        let mut sections = vec![String::new()];
        while let Some(section) = sections.pop() {
            for name in known_in(&section).expect("a section") {
                let key = format!("{section}.{name}");
                let key = key.trim_start_matches('.').to_owned();
                if OWN_NAMES.contains(&key.as_str()) {
                    continue;
                }
                match known_in(&key) {
                    Some(_) => sections.push(key),
                    None => found.push(key),
                }
            }
        }
        found.sort_unstable();
        let mut known: Vec<_> = KEYS.iter().map(|key| key.name).collect();
        known.sort_unstable();
        assert_eq!(known, found);
    }

    #[test]
    fn a_default_is_what_the_loader_takes_for_one() {
        let defaults = Config::default();
        for key in KEYS {
            let value = (key.default)(&defaults);
            // The model of no configuration, and sizes that depend on the machine, are no defaults.
            if value.is_null() || key.name.starts_with("model.") {
                continue;
            }
            let text = format!("{} = {value}", key.name);
            let (document, origin) = parse(Path::new("f"), text.as_bytes()).expect(key.name);
            let config = Config::from_user(&document, &origin).expect(key.name);
            assert_eq!(config, defaults, "{text}");
        }
    }
}
