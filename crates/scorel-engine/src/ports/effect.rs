use std::path::PathBuf;

use serde_json::Value;

/// What a planned call would do to the world, as far as permissions are concerned.
///
/// The gate judges effects and knows no tool. A plan must declare every effect of its run: an
/// undeclared effect is not judged. A call without effects needs no permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Shows the model a file, or the files below a directory.
    ReadPath {
        /// Absolute, links followed where it exists.
        path: PathBuf,
    },
    /// Shows the model a file of a directory that the session was given: of a skill that it has loaded, of the package
    /// of its run or of the run's state. Allowed: it is the user's own, the user has trusted this very content, or the
    /// session has written it.
    ReadMount {
        /// Absolute, links followed.
        path: PathBuf,
    },
    /// Creates or changes a file.
    WritePath {
        /// The file that would change, absolute, links followed.
        path: PathBuf,
        /// The path as the call names it, for people.
        named: String,
        /// The reason why this file may never be changed without a question; absent for ordinary files.
        protection: Option<String>,
    },
    /// Runs a command in a shell.
    RunCommand {
        /// The script that the shell gets.
        command: String,
        /// The directory that it starts in, absolute, links followed.
        directory: PathBuf,
        /// True if the call asks for network access.
        network: bool,
    },
    /// Runs a command in a shell without the sandbox, because the call asks for that.
    RunUnsandboxed {
        /// The script that the shell gets.
        command: String,
        /// The directory that it starts in, absolute, links followed.
        directory: PathBuf,
        /// The reason why the sandbox is in its way, in the model's words.
        reason: String,
    },
    /// Fetches a page.
    FetchUrl {
        /// The address as the call gives it, unparsed.
        url: String,
        /// True if its host is in a private network or this machine, by what the address says, and
        /// the configuration does not allow it anyway.
        is_private: bool,
    },
    /// Hands the call to a program that the daemon does not control, so that nothing but its name
    /// and arguments can be judged.
    CallOutside {
        /// The tool's name, which rules `Tool(…)` are about.
        tool: String,
        /// Its other names, such as the one that its program gives it. A rule that forbids one of them forbids the call;
        /// one that allows does not count.
        also: Vec<String>,
        /// The arguments, one of which a rule may be about.
        input: Value,
        /// The SHA-256, in lowercase hexadecimal, of what the program says about its tool. A rule with it
        /// holds until the tool changes. Absent where a tool has no such description.
        digest: Option<String>,
        /// True if the program says that the tool changes nothing, and the user believes that.
        reads_only: bool,
    },
    /// As [`Self::CallOutside`], where the name stands for calls that have nothing in common, so that no
    /// rule is offered: it would allow them all.
    CallUntold {
        /// The name, which rules `Tool(…)` are about.
        tool: String,
    },
    /// Gives an agent a task. What the agent does then is judged in its own session.
    SpawnAgent {
        /// The agent's name in the configuration.
        agent_type: String,
    },
    /// Something whose target cannot be determined. It is refused in every mode: by the time the
    /// call runs it could lead anywhere.
    Unresolved {
        /// Why, for the model.
        reason: String,
    },
}
