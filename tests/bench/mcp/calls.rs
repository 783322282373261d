use std::path::Path;

use serde_json::json;

use super::bare_server::BareServer;
use super::installed::{Installed, SERVER};
use crate::bench_daemon::BenchDaemon;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;
use crate::turn_stand::{TurnStand, in_turns};

const TURNS: usize = 600;

/// Starts of daemons whose first call starts the server.
const COLD: usize = 15;

/// The tool of the one server.
const TOOL: &str = "mcp__s0__tool0";

/// A call beside one of an own tool, with what the bare server takes for it: in a turn, in a session's first turn, and
/// in one that has to start the server.
pub(super) async fn measure(program: &Path) -> Vec<Figure> {
    let mut plain = TurnStand::new(Installed::None.start(program).await).await;
    let mut served = TurnStand::calling(Installed::ONE.start(program).await, TOOL, "{}").await;
    in_turns(&mut plain, &mut served, TURNS).await;
    let bare = bare(&served.bench).await;
    let name = "a server's call less the bare server's, p50";
    let call = figure(name, &served.tools, &plain.tools, &bare.calls, 1.0, 0.5);
    let name = "first call of a session, the server runs, p50";
    let warm = figure(name, &served.firsts, &plain.firsts, &bare.calls, 5.0, 2.0);
    let (served, plain) = cold(&mut served, &mut plain).await;
    let name = "first call of a session, the server has to start, over that start, p50";
    vec![
        call,
        warm,
        figure(name, &served, &plain, &bare.starts, 50.0, 20.0),
    ]
}

/// The time that the server takes by itself.
struct Bare {
    calls: Samples,
    starts: Samples,
}

async fn bare(bench: &BenchDaemon) -> Bare {
    let file = bench.daemon.home().join("bare.py");
    std::fs::write(&file, SERVER).unwrap();
    let (mut calls, mut starts) = (Samples::default(), Samples::default());
    for _ in 0..COLD {
        let (mut server, start) = BareServer::start(&file).await;
        starts.push(start);
        for _ in 0..TURNS / COLD {
            calls.push(server.call("tools/call").await);
        }
    }
    Bare { calls, starts }
}

/// First turns after starts of the daemons.
async fn cold(served: &mut TurnStand, plain: &mut TurnStand) -> (Samples, Samples) {
    for stand in [&mut *served, &mut *plain] {
        stand.firsts = Samples::default();
    }
    for _ in 0..COLD {
        for stand in [&mut *served, &mut *plain] {
            stand.bench.daemon.stop().await;
            stand.bench.restart().await;
            stand.begin_session().await;
        }
    }
    (
        std::mem::take(&mut served.firsts),
        std::mem::take(&mut plain.firsts),
    )
}

fn figure(
    name: &'static str,
    served: &Samples,
    plain: &Samples,
    bare: &Samples,
    must: f64,
    aim: f64,
) -> Figure {
    Figure {
        name,
        value: served.p50() - plain.p50() - bare.p50(),
        unit: "ms",
        goal: Goal::AtMost { must, aim },
        with: json!({
            "ms": rounded(served.p50()),
            "ownToolMs": rounded(plain.p50()),
            "bareMs": rounded(bare.p50()),
        }),
    }
}
