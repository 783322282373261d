//! Changes of a policy that another client may have changed.

use serde_json::{Value, json};

use crate::answers;
use crate::daemon::Daemon;
use crate::program::TestHome;

fn agent(policy: &Value) -> Value {
    json!({
        "agentType": "developer", "running": 0, "queued": 0, "finished": 0, "policy": policy,
        "config": {
            "displayName": "Developer", "runner": "scorel", "workspace": "shared", "defaultQuota": 1,
            "enabled": true,
        },
        "quota": {"effective": 2, "source": "project"},
    })
}

/// A daemon whose project has this policy for its agent.
fn daemon(place: &TestHome, policy: &Value) -> Daemon {
    let daemon = answers::daemon(place);
    let agents = json!({"agents": [agent(policy)]});
    daemon.answer("listAgents", agents);
    daemon.answer("setQuota", json!({"agent": agent(policy)}));
    daemon
}

#[test]
fn a_policy_is_replaced_only_if_it_is_the_one_that_was_read() {
    let none = json!({"strategy": "concurrent"});
    let two = json!({"project": 2, "strategy": "serial"});
    for (policy, expected) in [(Value::Null, &none), (two.clone(), &two)] {
        let place = TestHome::new();
        let daemon = daemon(&place, &policy);
        let ended = place.run(&["agents", "quota", "developer", "4"]);
        ended.assert_code(0);
        assert_eq!(&daemon.calls("setQuota")[0]["expected"], expected);
        let before = ended.err.contains("before: project 2, serial");
        assert_eq!(before, policy != Value::Null, "{}", ended.err);

        let details = json!({"kind": "quota", "policy": {"project": 7, "strategy": "serial"}});
        daemon.refuse_with("setQuota", (1005, "conflict"), &details);
        let ended = place.run(&["agents", "quota", "developer", "4"]);
        ended.assert_code(3);
        let hint = "hint: now in force: project 7, serial; the same command replaces it";
        assert!(ended.err.contains(hint), "{}", ended.err);
    }
}
