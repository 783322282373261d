use std::path::Path;

use serde_json::json;

use crate::bench_daemon::BenchDaemon;
use crate::disk_probe::DiskProbe;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;
use crate::turn_stand::TurnStand;

const TURNS: usize = 200;

/// The syncs between a message and the request to the model: the message.
const SYNCS_BEFORE_REQUEST: f64 = 1.0;

/// The syncs between a reply and the next request: the reply, the start of its tool call, and the
/// result.
const SYNCS_OF_A_TOOL: f64 = 3.0;

/// The overhead of a turn over the model's and the disk's time.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut stand = TurnStand::new(BenchDaemon::new(program).await).await;
    let mut disk = DiskProbe::new(stand.bench.daemon.root());
    let mut syncs = Samples::default();
    for _ in 0..TURNS {
        stand.turn().await;
        syncs.push(disk.sync());
    }
    let TurnStand {
        requests, tools, ..
    } = stand;
    let sync = syncs.p50();
    let disk_part = sync * SYNCS_BEFORE_REQUEST;
    let request = Figure {
        name: "sendMessage to request at the model server, p50",
        value: requests.p50(),
        unit: "ms",
        goal: Goal::AtMost {
            must: disk_part + 1.5,
            aim: disk_part + 1.0,
        },
        with: json!({
            "p99Ms": rounded(requests.p99()),
            "syncs": SYNCS_BEFORE_REQUEST,
            "fdatasyncMs": rounded(sync),
            "netMs": rounded(requests.p50() - disk_part),
        }),
    };
    let tool = Figure {
        name: "tool round trip net of syncs, p50",
        value: tools.p50() - sync * SYNCS_OF_A_TOOL,
        unit: "ms",
        goal: Goal::AtMost {
            must: 1.5,
            aim: 1.0,
        },
        with: json!({
            "grossMs": rounded(tools.p50()),
            "grossP99Ms": rounded(tools.p99()),
            "syncs": SYNCS_OF_A_TOOL,
            "fdatasyncMs": rounded(sync),
        }),
    };
    vec![request, tool]
}
