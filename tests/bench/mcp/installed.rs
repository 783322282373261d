use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use scorel_testkit::DaemonUnderTest;

use crate::bench_daemon::BenchDaemon;

pub(super) const SERVER: &str = include_str!("server.py");

/// Servers in a daemon's configuration.
#[derive(Debug, Clone, Copy)]
pub(super) enum Installed {
    None,
    /// Servers that answer at once.
    Prompt {
        servers: usize,
        tools: usize,
        /// The length of a tool's description in bytes.
        description: usize,
    },
    /// Servers that read and answer nothing.
    Hanging(usize),
}

impl Installed {
    pub(super) const ONE: Self = Self::Prompt {
        servers: 1,
        tools: 1,
        description: 100,
    };

    /// A daemon in the mode that asks nothing, which is not started.
    pub(super) fn daemon(self, program: &Path) -> (DaemonUnderTest, String) {
        let path = std::env::var("PATH").expect("a search path");
        let daemon = DaemonUnderTest::new(program).with_variable("PATH", &path);
        let file = daemon.home().join("server.py");
        fs::create_dir_all(daemon.home()).expect("a home");
        fs::write(&file, SERVER).expect("a server");
        let mut tables = "[permissions]\nmode = \"full\"\n".to_owned();
        let (servers, command, arguments) = match self {
            Self::None => (0, "true", String::new()),
            Self::Hanging(servers) => (servers, "sleep", "\"infinity\"".to_owned()),
            Self::Prompt {
                servers,
                tools,
                description,
            } => {
                let arguments = format!("{file:?}, \"{tools}\", \"{description}\"");
                (servers, "python3", arguments)
            }
        };
        for server in 0..servers {
            let table = format!(
                "[[mcp.servers]]\nname = \"s{server}\"\ncommand = {command:?}\nargs = [{arguments}]\n"
            );
            tables.write_str(&table).expect("a text");
        }
        (daemon, tables)
    }

    pub(super) async fn start(self, program: &Path) -> BenchDaemon {
        let (daemon, tables) = self.daemon(program);
        BenchDaemon::start(daemon, &tables).await
    }
}
