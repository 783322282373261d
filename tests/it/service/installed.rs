//! `scorelctl service`.

use std::fs;

use serde_json::Value;

use super::container::{Container, ended};

const UNITS: &str = ".config/systemd/user";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// What systemd and the files say about the service.
fn state(container: &Container) -> (Vec<(String, String)>, String) {
    let names = [
        "scoreld.service",
        "scoreld.socket",
        "scoreld.service.d/10-path.conf",
    ];
    let files = names.map(|name| {
        let text = fs::read_to_string(container.file(UNITS).join(name)).unwrap();
        (name.to_owned(), text)
    });
    let units = ["scoreld.service", "scoreld.socket"].map(|unit| {
        let properties = "--property=ActiveState,UnitFileState,MainPID,NeedDaemonReload";
        container.systemctl(&["show", properties, unit])
    });
    (files.into(), units.join("\n"))
}

#[test]
fn a_service_is_installed_once_and_removed_without_a_trace() {
    let Some(container) = Container::boot() else {
        return;
    };
    let first = json(&container.scorelctl(&["--json", "service", "install"]));
    assert_eq!(first["manager"], "systemd");
    assert_eq!(first["changed"].as_array().unwrap().len(), 4, "{first}");
    assert_eq!(first["enabled"], true);
    assert_eq!(first["lingering"], true, "{first}");
    let mode = container.ok("stat", &["--format=%a", ".scorel", ".scorel/env"]);
    assert_eq!(mode, "700\n600");
    let installed = state(&container);
    for _ in 0..2 {
        let again = json(&container.scorelctl(&["--json", "service", "install"]));
        assert_eq!(again["changed"], json("[]"), "{again}");
        assert_eq!(again["enabled"], false);
        assert_eq!(state(&container), installed);
    }
    container.systemctl(&["enable", "--now", "scoreld.socket"]);
    assert_eq!(state(&container), installed);
    assert_eq!(
        container.property("ActiveState"),
        "inactive",
        "no client has come yet"
    );
    let units = format!("{}/{UNITS}/scoreld", container.home());
    let verified = container.run(
        "systemd-analyze",
        &[
            "--user",
            "verify",
            &format!("{units}.service"),
            &format!("{units}.socket"),
        ],
    );
    assert!(
        verified.status.success() && verified.stderr.is_empty(),
        "{verified:?}"
    );
    container.scorelctl(&["send", "Hello?"]);
    assert_eq!(container.property("ActiveState"), "active");
    let shown = json(&container.scorelctl(&["--json", "service", "status"]));
    assert_eq!(shown["pid"].to_string(), container.property("MainPID"));
    assert_eq!(
        (&shown["installed"], &shown["current"]),
        (&true.into(), &true.into())
    );
    let log = container.scorelctl(&["service", "logs", "-n", "50"]);
    assert!(log.contains("ready"), "{log}");
    container.scorelctl(&["service", "uninstall"]);
    assert!(!container.file(UNITS).join("scoreld.service.d").exists());
    // Some versions of systemd fail where there is none.
    let listing = ["--user", "list-unit-files", "--no-legend", "scoreld.*"];
    let units = container.run("systemctl", &listing);
    assert!(units.stdout.is_empty(), "{units:?}");
    assert!(container.file(".scorel/sessions").exists());
    let gone = container.run("scorelctl", &["status"]);
    assert_eq!(gone.status.code(), Some(7), "{gone:?}");
}

#[test]
fn a_stopped_service_stays_so_until_a_command_needs_it() {
    let Some(container) = Container::boot() else {
        return;
    };
    container.scorelctl(&["service", "install"]);
    container.scorelctl(&["service", "start"]);
    let pid = container.property("MainPID");
    container.scorelctl(&["service", "restart"]);
    assert_ne!(container.property("MainPID"), pid);
    container.scorelctl(&["service", "stop"]);
    assert_eq!(container.property("ActiveState"), "inactive");
    let output = container.run("scorelctl", &["status"]);
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    assert_eq!(container.property("ActiveState"), "inactive");
    container.scorelctl(&["send", "Hello?"]);
    assert_eq!(container.property("ActiveState"), "active");
}

/// Asks for `printenv PATH` and answers with the result.
const MODEL: &str = r#"
import http.server, json
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        last = body["messages"][-1]
        if last["role"] == "tool":
            delta = {"content": "done"}
        else:
            call = {"name": "Bash", "arguments": json.dumps({"command": "printenv PATH"})}
            delta = {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": call}]}
        reason = "tool_calls" if "tool_calls" in delta else "stop"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for choice in ({"index": 0, "delta": delta}, {"index": 0, "delta": {}, "finish_reason": reason}):
            chunk = {"id": "x", "object": "chat.completion.chunk", "choices": [choice]}
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 8321), Model)
print("ready", flush=True)
server.serve_forever()
"#;

const CONFIG: &str = "\
[model]
type = \"custom\"
api = \"openai-completions\"
provider = \"test\"
id = \"test-model\"
baseUrl = \"http://127.0.0.1:8321/v1\"

[permissions]
mode = \"full\"
";

#[test]
fn commands_get_the_path_of_the_shell_that_installed_the_service() {
    use std::io::{BufRead as _, BufReader};

    let Some(container) = Container::boot() else {
        return;
    };
    let tools = "/home/ada/to\"ols/100%";
    let path = format!("/usr/local/bin:/usr/bin:/bin:{tools}");
    let mut install = container.command("scorelctl", &["service", "install"]);
    let output = ended(install.env("PATH", &path).spawn().unwrap());
    assert!(output.status.success(), "{output:?}");
    fs::write(container.file(".scorel/config.toml"), CONFIG).unwrap();
    container.ok("test", &["-r", ".scorel/config.toml"]);
    let mut model = container
        .command("/usr/bin/python3", &["-c", MODEL])
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(model.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    container.scorelctl(&["send", "Which PATH?"]);
    let shown = container.scorelctl(&["show"]);
    assert!(shown.contains(tools), "{shown}");
    let environment = container.ok(
        "cat",
        &[&format!("/proc/{}/environ", container.property("MainPID"))],
    );
    assert!(
        environment.contains(&format!("PATH={path}")),
        "{environment}"
    );
    model.kill().unwrap();
    model.wait().unwrap();
}
