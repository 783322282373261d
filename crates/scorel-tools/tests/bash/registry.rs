//! A package from npm's own registry. Needs the network, so it runs with `SCOREL_NETWORK=1` only.

use libtest_mimic::Trial;
use scorel_engine::CommandAccess;
use serde_json::json;

use crate::session::Session;
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    let has_network = std::env::var_os("SCOREL_NETWORK").is_some_and(|value| value == "1");
    let name = "registry::npm_installs_a_package_if_the_network_is_granted";
    vec![trial(name, npm_installs).with_ignored_flag(!has_network)]
}

async fn npm_installs() {
    let session = Session::new();
    let install = "npm install --no-audit --no-fund --fetch-retries 0 --cache $TMPDIR/npm is-number@7.0.0 && \
                   node -e 'console.log(require(\"is-number\")(5))'";
    let input = json!({ "command": install, "network": true });
    assert!(session.call("Bash", input.clone()).await.is_error);
    let network = CommandAccess::Workspace { network: true };
    let answer = session.call_granted("Bash", input, network).await;
    assert!(answer.text.ends_with("true\n"), "{answer:?}");
    assert_eq!(answer.details["sandbox"], "workspace+network");
    assert!(answer.details.get("restored").is_none(), "{answer:?}");
}
