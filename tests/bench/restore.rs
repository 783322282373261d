use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use scorel_testkit::ScriptedChat;
use serde_json::{Value, json};

use crate::bench_daemon::BenchDaemon;
use crate::figure::{Figure, Goal, rounded};

const FILES: usize = 5_000;

/// Makes files of 1,280 bytes, no two alike.
const MAKE: &str = "mkdir n; seq 1000000 1799999 | split -l 160 -a 4 - n/";

const CHANGE: &str = "for file in n/*; do echo changed >> $file; done";

/// The number of files a second that get an earlier content.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let full = "[permissions]\nmode = \"full\"\nbuiltinAsk = []\n";
    let mut bench = BenchDaemon::with(program, full).await;
    let session = bench.new_session().await;
    let made = turn(&mut bench, &session, MAKE).await;
    let changed = turn(&mut bench, &session, CHANGE).await;
    let (_, replacing) = restore(&mut bench, &session, &changed).await;
    let (deleted, deleting) = restore(&mut bench, &session, &made).await;
    let (_, writing) = restore(&mut bench, &session, &deleted["eventId"]).await;
    let bare = bare(&bench.daemon.project());
    let a_second = |time: Duration| FILES as f64 / time.as_secs_f64();
    vec![Figure {
        name: "files restored per second",
        value: a_second(replacing),
        unit: "files/s",
        goal: Goal::AtLeast {
            must: 1_000.0,
            aim: 2_000.0,
        },
        with: json!({
            "files": FILES,
            "deletedPerSecond": rounded(a_second(deleting)),
            "writtenPerSecond": rounded(a_second(writing)),
            "barePerSecond": rounded(a_second(bare)),
            "timesBare": rounded(replacing.as_secs_f64() / bare.as_secs_f64()),
        }),
    }]
}

/// A turn with a command. Returns the id of its first message.
async fn turn(bench: &mut BenchDaemon, session: &str, script: &str) -> Value {
    let script = json!({ "command": script }).to_string();
    let call = ScriptedChat::default().tool_call("call_1", "Bash", &script);
    bench.model.answer(call.finish("tool_calls"));
    let done = ScriptedChat::default().text("Done.").finish("stop");
    bench.model.answer(done);
    let mut watch = bench.watch(session).await;
    bench.send_message(session).await;
    watch.until("\"turn_outcome\"").await;
    let log = bench.daemon.log(session);
    let asked = log.iter().rfind(|it| it["message"]["role"] == "user");
    asked.unwrap()["id"].clone()
}

async fn restore(bench: &mut BenchDaemon, session: &str, before: &Value) -> (Value, Duration) {
    let params = json!({"sessionId": session, "beforeEventId": before, "scope": "all"});
    let started = Instant::now();
    let restored = bench.client.call("restoreFiles", &params).await;
    let time = started.elapsed();
    assert_eq!(restored["restored"], FILES, "{restored}");
    (restored, time)
}

/// Writes, syncs and renames the same files one by one.
fn bare(project: &Path) -> Duration {
    let from = fs::read_dir(project.join("n")).unwrap();
    let contents: Vec<Vec<u8>> = from
        .map(|file| fs::read(file.unwrap().path()).unwrap())
        .collect();
    let directory = project.join("bare");
    fs::create_dir(&directory).unwrap();
    let started = Instant::now();
    for (number, content) in contents.iter().enumerate() {
        let temporary = directory.join("temporary");
        let mut file = File::create_new(&temporary).unwrap();
        file.write_all(content).unwrap();
        file.sync_all().unwrap();
        fs::rename(temporary, directory.join(number.to_string())).unwrap();
    }
    File::open(&directory).unwrap().sync_all().unwrap();
    started.elapsed()
}
