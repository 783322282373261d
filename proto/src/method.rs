//! The method table: dispatch, the typed client, `rpc.discover` and the reference are all derived
//! from it.

mod access_level;
mod agent;
mod agent_task;
mod agent_task_graph;
mod channel;
mod channel_kind;
mod command;
mod config;
mod conversation;
mod cron_fire_state;
mod extension;
mod field_names;
mod files;
mod find_files;
mod gc;
mod group;
mod hook;
mod host;
mod host_event;
mod import;
mod mcp;
mod mcp_login;
mod method_info;
mod method_table;
mod method_type;
mod present;
mod process;
mod project;
mod question;
mod queue;
mod reading;
mod run;
mod runner;
mod search;
mod session;
mod skill;
mod status;
mod trust;
mod usage;
mod worktree;

use serde_json::value::{RawValue, to_raw_value};

pub use access_level::AccessLevel;
pub use agent::*;
pub use agent_task::*;
pub use agent_task_graph::*;
pub use channel::*;
pub use channel_kind::ChannelKind;
pub use command::*;
pub use config::*;
pub use conversation::*;
pub use cron_fire_state::CronFireState;
pub use extension::*;
pub use files::*;
pub use find_files::*;
pub use gc::*;
pub use group::MethodGroup;
pub use hook::*;
pub use host::*;
pub use host_event::*;
pub use import::*;
pub use mcp::*;
pub use mcp_login::*;
pub use method_info::MethodInfo;
pub use method_type::Method;
pub use process::*;
pub use project::*;
pub use question::*;
pub use queue::*;
pub use reading::*;
pub use run::*;
pub use runner::*;
pub use search::*;
pub use session::*;
pub use skill::*;
pub use status::*;
pub use trust::*;
pub use usage::*;
pub use worktree::*;

use crate::{ErrorCode, TurnSummary};
use field_names::field_names;
use method_table::methods;

methods! {
    Host {
        /// Identifies the client and negotiates the protocol version. Optional: a client that needs
        /// neither can call other methods directly.
        Hello = "hello", Read, HelloParams => HelloResult, [ProtocolMismatch];
        /// Returns the state of the daemon: version, load, active sessions, configuration problems.
        GetStatus = "getStatus", Read, NoParams => Status, [];
        /// Shuts the daemon down gracefully: running turns may finish within the grace period, or are
        /// parked for the next daemon. Returns before the daemon exits; `pid` says which process to
        /// wait for.
        Shutdown = "shutdown", Admin, ShutdownParams => ShutdownResult, [];
        /// Lists the usable models: those that the providers' endpoints report, where an API key is
        /// available, and those of the built-in table. Queries the endpoints, and returns after at
        /// most 15 seconds.
        ListModels = "listModels", Read, ListModelsParams => ListModelsResult,
            [ProjectNotFound, ProviderError];
        /// Tests a model by asking it for one word. The call is billed by the provider.
        CheckModel = "checkModel", Control, CheckModelParams => CheckModelResult,
            [ProjectNotFound, ProviderError];
        /// Lists the runners: the daemon's own engine, and the foreign agents that can run turns of a
        /// session. Looks for their programs, and starts none but to ask for a version.
        ListRunners = "listRunners", Read, ListRunnersParams => ListRunnersResult,
            [ProjectNotFound];
        /// Starts a runner, makes a context and ends it again, without a prompt. Fails with
        /// `runner_error` if it cannot be used.
        CheckRunner = "checkRunner", Control, CheckRunnerParams => CheckRunnerResult,
            [RunnerError];
        /// Stops a process that the daemon keeps, forgets its failures and starts it. Returns at once:
        /// `getStatus` tells how it goes.
        RestartProcess = "restartProcess", Control, RestartProcessParams => RestartProcessResult,
            [UnknownName];
        /// Returns the end of what a process that the daemon keeps has written to its error output.
        GetProcessLog = "getProcessLog", Read, GetProcessLogParams => GetProcessLogResult, [UnknownName];
        /// Sums up what the model calls of all sessions used and cost, deleted sessions included.
        GetUsage = "getUsage", Read, GetUsageParams => GetUsageResult, [];
        /// Returns the configuration that is in effect: every setting with its value and the line that
        /// it is from. Names secrets, and never returns one.
        GetConfig = "getConfig", Read, GetConfigParams => GetConfigResult, [ProjectNotFound];
        /// Reports what the home keeps and nothing refers to any more, and removes it if `apply` says so:
        /// old deleted sessions, blobs that no log names, old copies that repairs kept, and unused
        /// copies of trusted items. Repeating it is harmless.
        Gc = "gc", Admin, GcParams => GcResult, [FilesystemError];
        /// Returns an OpenRPC document that describes every method.
        Discover = "rpc.discover", Read, NoParams => Box<serde_json::value::RawValue>, [];
        /// Subscribes to the daemon's own state: a snapshot, then changes of projects, sessions and
        /// phases as `host` notifications. Returns the subscription's id.
        SubscribeHost = "subscribeHost", Read, NoParams => SubscriptionId, [Overloaded];
        /// Ends a subscription of `subscribeHost`. Returns whether it existed.
        UnsubscribeHost = "unsubscribeHost", Read, UnsubscribeParams => bool, [];
    }
    Projects {
        /// Lists the subdirectories of a directory, for a picker of project directories.
        ListDirectories = "listDirectories", Admin,
            ListDirectoriesParams => ListDirectoriesResult, [FilesystemError];
        /// Registers a directory as a project. Registering it again returns the existing project.
        RegisterProject = "registerProject", Admin,
            RegisterProjectParams => RegisterProjectResult,
            [FilesystemError, Conflict, StorageStalled, Overloaded];
        /// Lists all projects.
        ListProjects = "listProjects", Read, NoParams => ListProjectsResult, [];
        /// Lists the skills of the user, and those of a project.
        ListSkills = "listSkills", Read, ListSkillsParams => ListSkillsResult,
            [ProjectNotFound, FilesystemError];
        /// Lists the extensions and plugins of the user, and those of a project, with what runs of them and what
        /// does not.
        ListExtensions = "listExtensions", Read, ListExtensionsParams => ListExtensionsResult,
            [ProjectNotFound, FilesystemError];
        /// Lists the MCP servers of the user, and those that a project declares, with what is known of each without asking
        /// it.
        ListMcpServers = "listMcpServers", Read, ListMcpServersParams => ListMcpServersResult,
            [ProjectNotFound, FilesystemError];
        /// Starts an MCP server apart from those of turns, asks for its tools, and stops it: one that is configured, or one
        /// that is to be. Returns when that is done, or has failed.
        TestMcpServer = "testMcpServer", Admin, TestMcpServerParams => TestMcpServerResult,
            [ProjectNotFound, FilesystemError, UnknownName];
        /// Gives a session MCP servers of the caller's, in place of those that it was given before: they run as those of the
        /// user, from the next turn on, and end when the session is unloaded. Nothing of them is written down, so a caller
        /// repeats this before what it sends.
        OfferMcpServers = "offerMcpServers", Admin, OfferMcpServersParams => OfferMcpServersResult,
            [SessionNotFound, SessionFailed];
        /// Logs in to an MCP server: begins a login, and ends it with the answer that the browser of the person brought. The
        /// tokens stay with the daemon.
        McpLogin = "mcpLogin", Admin, McpLoginParams => McpLoginResult,
            [ProjectNotFound, FilesystemError, UnknownName, AuthFailed];
        /// Forgets the login to an MCP server.
        McpLogout = "mcpLogout", Admin, McpLogoutParams => McpLogoutResult,
            [ProjectNotFound, FilesystemError, UnknownName];
        /// Finds files of a project by a part of their paths, for a picker. Not listed are ignored files, what
        /// rules and `hidden` keep from models, links out of the project, and paths that are not UTF-8. A
        /// file that is seconds old may be missing.
        FindFiles = "findFiles", Read, FindFilesParams => FindFilesResult,
            [ProjectNotFound, FilesystemError];
        /// Lists the hooks of the user, and those of a project, with what each has done since the daemon began and
        /// why it may not do what it is meant to.
        ListHooks = "listHooks", Read, ListHooksParams => ListHooksResult, [ProjectNotFound];
        /// Runs a hook once with a sample, in the place, the sandbox and the time that it would have in a turn of the
        /// project. Nothing comes of its answer. Returns when it has ended.
        TestHook = "testHook", Control, TestHookParams => TestHookResult,
            [ProjectNotFound, FilesystemError, UnknownName];
        /// Returns the items that a project brings, such as skills, and whether each is trusted.
        GetTrust = "getTrust", Read, GetTrustParams => GetTrustResult,
            [ProjectNotFound, FilesystemError];
        /// Trusts items of a project as they are now, or takes that back. Repeating it changes nothing.
        SetTrust = "setTrust", Admin, SetTrustParams => SetTrustResult,
            [ProjectNotFound, FilesystemError, StorageStalled, Conflict, Overloaded];
        /// Gives a project another display name. Its directory stays as it is.
        UpdateProject = "updateProject", Admin,
            UpdateProjectParams => UpdateProjectResult,
            [ProjectNotFound, Conflict, StorageStalled, Overloaded];
        /// Removes a project that has no sessions. The directory and its files are not touched.
        RemoveProject = "removeProject", Admin,
            RemoveProjectParams => RemoveProjectResult,
            [ProjectNotFound, ProjectHasSessions, FilesystemError, Conflict, StorageStalled,
             Overloaded];
    }
    Sessions {
        /// Creates an empty session. Repeated with the same `commandId` after the session was
        /// deleted, it fails with `session_not_found` instead of creating another one.
        CreateSession = "createSession", Control,
            CreateSessionParams => CreateSessionResult,
            [ProjectNotFound, SessionNotFound, Conflict, StorageStalled, Overloaded, ProviderError];
        /// Returns a session's metadata.
        GetSession = "getSession", Read, GetSessionParams => GetSessionResult,
            [SessionNotFound, SessionFailed];
        /// Lists sessions, the most recently changed first, in pages.
        ListSessions = "listSessions", Read, ListSessionsParams => ListSessionsResult,
            [ProjectNotFound];
        /// Searches the logs of all sessions, the newest records first, in pages: for words with an
        /// index, or by a regular expression, which reads the logs. A page may have fewer hits than
        /// `limit`, and none, while `nextCursor` says that there is more to search.
        Search = "search", Read, SearchParams => SearchResult,
            [ProjectNotFound, StorageStalled];
        /// Changes a session's title, runner, model, thinking level, tools or `onRestart`, or has its
        /// instructions renewed. Absent parameters leave their setting unchanged. Another model ends a
        /// turn's wait for a rate limit.
        UpdateSession = "updateSession", Control,
            UpdateSessionParams => UpdateSessionResult,
            [SessionNotFound, SessionFailed, StorageStalled, Conflict, ProviderError];
        /// Archives a session, or restores it.
        ArchiveSession = "archiveSession", Control,
            ArchiveSessionParams => UpdateSessionResult,
            [SessionNotFound, SessionFailed, StorageStalled, Conflict];
        /// Deletes a session with its log and blobs. `undeleteSession` brings it back for as long as the
        /// trash keeps it. Fails with `runtime_busy` while a turn runs: cancel it first. A session
        /// written by a newer version is not deleted.
        DeleteSession = "deleteSession", Control,
            DeleteSessionParams => DeleteSessionResult,
            [SessionNotFound, SessionFailed, AgentTaskBusy, FilesystemError, Conflict,
             StorageStalled, Overloaded];
        /// Brings a deleted session back from the trash, byte for byte. Fails with
        /// `session_not_found` if it is not there, or was deleted too long ago, and with `conflict`
        /// if it is not deleted.
        UndeleteSession = "undeleteSession", Control,
            UndeleteSessionParams => UndeleteSessionResult,
            [SessionNotFound, FilesystemError, Conflict, StorageStalled, Overloaded];
        /// Creates a session with a copy of another session's conversation up to an event: its messages with
        /// their data, its settings and its system prompt. Usage, queue and permissions are not copied. The
        /// other session may be running.
        CloneSession = "cloneSession", Control,
            CloneSessionParams => CreateSessionResult,
            [SessionNotFound, SessionFailed, InvalidEventId, FilesystemError, Conflict,
             StorageStalled, Overloaded];
        /// Creates a session with the conversation of a file that the daemon reads: a bundle, a transcript
        /// of Claude Code or a rollout of Codex. Nothing of it runs. A file that the project has a session
        /// of already gives that session. Fails with `invalid_params` if the file is none of these, or
        /// was altered; `details.kind` says which.
        ImportSession = "importSession", Admin,
            ImportSessionParams => ImportSessionResult,
            [ProjectNotFound, SessionNotFound, FilesystemError, PayloadTooLarge, Conflict,
             StorageStalled, Overloaded];
        /// Drops the context that a runner keeps of the session. The next turn starts a new context, to
        /// which the conversation is handed over. Fails with `runtime_busy` while the runner runs a
        /// turn.
        ForgetContext = "forgetContext", Control,
            ForgetContextParams => ForgetContextResult,
            [SessionNotFound, SessionFailed, AgentTaskBusy, StorageStalled, Conflict];
        /// Accepts a damaged place in the log, so that the session can be written again. The damage
        /// stays in the log.
        AcceptDamage = "acceptDamage", Control, AcceptDamageParams => SeqResult,
            [SessionNotFound, SessionFailed, StorageStalled, Conflict];
    }
    Agents {
        /// Lists the agents of the configuration, with their quotas and how many of their runtimes run
        /// and wait.
        ListAgents = "listAgents", Read, ListAgentsParams => ListAgentsResult,
            [ProjectNotFound];
        /// Adds an agent to the user's configuration, or changes it there: an absent parameter leaves its
        /// key, `null` takes it out. Comments in the file stay.
        SetAgent = "setAgent", Admin, SetAgentParams => SetAgentResult,
            [FilesystemError, Conflict, StorageStalled, Overloaded];
        /// Sets how many runtimes of an agent may run at once in a project, and for its workflows.
        /// A lower number ends nothing. Fails with `conflict` if another policy than `expected` is in
        /// force: `details.kind` is `quota`, and `details.policy` that policy.
        SetQuota = "setQuota", Admin, SetQuotaParams => SetQuotaResult,
            [ProjectNotFound, AgentNotFound, FilesystemError, Conflict, StorageStalled, Overloaded];
        /// Returns the project's orchestrator, a session with the tools for agents. Creates it if there
        /// is none, and records it as the project's `orchestratorSessionId`.
        OpenOrchestrator = "openOrchestrator", Control,
            OpenOrchestratorParams => CreateSessionResult,
            [ProjectNotFound, Conflict, StorageStalled, Overloaded];
        /// Gives an agent a task. Returns once the task is durable; it may have to wait.
        SpawnRuntime = "spawnRuntime", Control, SpawnRuntimeParams => SpawnRuntimeResult,
            [SessionNotFound, SessionFailed, AgentNotFound, AgentTaskNotFound, SpawnRefused, Conflict,
             PayloadTooLarge, StorageStalled, Overloaded];
        /// Returns a runtime, with its task and its result.
        GetRuntime = "getRuntime", Read, GetRuntimeParams => GetRuntimeResult,
            [AgentTaskNotFound, SessionFailed];
        /// Lists runtimes, the last spawned first, those that have ended included, in pages.
        ListRuntimes = "listRuntimes", Read, ListRuntimesParams => ListRuntimesResult,
            [ProjectNotFound, SessionNotFound];
        /// Moves a runtime that waits to another place of its queue.
        MoveRuntime = "moveRuntime", Control, MoveRuntimeParams => SeqResult,
            [AgentTaskNotFound, SessionFailed, Conflict, StorageStalled];
        /// Stops a runtime. One that waits ends at once; the turn of one that runs is cancelled.
        StopRuntime = "stopRuntime", Control, StopRuntimeParams => StopRuntimeResult,
            [AgentTaskNotFound, SessionFailed, Conflict, StorageStalled];
        /// Returns a session's runtimes, and those of their sessions, as a graph.
        GetGraph = "getGraph", Read, GetGraphParams => AgentTaskGraph,
            [SessionNotFound, SessionFailed];
        /// Lists the git worktrees that agents and runs of workflows work in.
        ListWorktrees = "listWorktrees", Read, ListWorktreesParams => ListWorktreesResult,
            [ProjectNotFound, FilesystemError];
        /// Removes the git worktree of an agent or a run. Its branch stays. Fails with `conflict` if it has changes
        /// that are not committed, unless forced, and with `runtime_busy` while its agent or its run works.
        RemoveWorktree = "removeWorktree", Admin,
            RemoveWorktreeParams => RemoveWorktreeResult,
            [AgentTaskNotFound, AgentTaskBusy, RunNotFound, FilesystemError, Conflict, StorageStalled,
             Overloaded];
    }
    Runs {
        /// Lists the packages of workflows: those of the user, then those of a project.
        ListWorkflows = "listWorkflows", Read, ListWorkflowsParams => ListWorkflowsResult,
            [ProjectNotFound, FilesystemError];
        /// Tells all that is wrong in a package, or what a run of a workflow would do, with a digest by which
        /// `startRun` starts exactly that. Nothing of it is run.
        CheckWorkflow = "checkWorkflow", Read, CheckWorkflowParams => CheckWorkflowResult,
            [ProjectNotFound, WorkflowNotFound, FilesystemError];
        /// Starts a run of a workflow, in a session of its own. Returns once its first message is durable. Fails with
        /// `conflict`, `details.kind: plan`, if the plan is not the one whose digest is `confirm`; `details.digest` is that
        /// of the plan now.
        StartRun = "startRun", Control, StartRunParams => StartRunResult,
            [ProjectNotFound, WorkflowNotFound, WorkflowInvalid, SessionNotFound, SessionFailed, ProviderError,
             FilesystemError, Conflict, StorageStalled, Overloaded];
        /// Has a run go on from its document, in its session or a new one. Returns once the message for that is durable.
        /// Fails with `conflict`, `details.kind: running`, while a turn of it runs, and `ended` once an end of it is
        /// completed.
        ResumeRun = "resumeRun", Control, ResumeRunParams => StartRunResult,
            [RunNotFound, StateInvalid, PackageMissing, ProjectNotFound, SessionNotFound, SessionFailed,
             FilesystemError, Conflict, StorageStalled, Overloaded];
        /// Returns a run, with the nodes of its graph and what its document says.
        GetRun = "getRun", Read, GetRunParams => GetRunResult, [RunNotFound, FilesystemError];
        /// Lists runs, the last started first.
        ListRuns = "listRuns", Read, ListRunsParams => ListRunsResult,
            [ProjectNotFound, FilesystemError];
        /// Changes whether a run goes on by itself, what messages to it are for, or its node.
        UpdateRun = "updateRun", Control, UpdateRunParams => RunResult,
            [RunNotFound, StateInvalid, PackageMissing, SessionNotFound, SessionFailed, FilesystemError, Conflict,
             StorageStalled, Overloaded];
        /// Binds a run to its package as it is installed now. Fails with `conflict`, `details.missing`, if nodes that
        /// the run has been at are not in it.
        RebindRun = "rebindRun", Control, RebindRunParams => RunResult,
            [RunNotFound, WorkflowNotFound, WorkflowInvalid, StateInvalid, SessionFailed, FilesystemError, Conflict,
             StorageStalled, Overloaded];
        /// Brings back an earlier state of a run's document. The one that is there is kept beside it.
        RepairRun = "repairRun", Control, RepairRunParams => RunResult,
            [RunNotFound, StateInvalid, SessionFailed, FilesystemError, Conflict, StorageStalled, Overloaded];
        /// Deletes a run with its document. Its sessions stay.
        DeleteRun = "deleteRun", Control, DeleteRunParams => DeleteRunResult,
            [RunNotFound, FilesystemError, Conflict, StorageStalled, Overloaded];
    }
    Conversation {
        /// Sends a message to a session. Returns once the message is durable, without waiting for
        /// the turn.
        SendMessage = "sendMessage", Control, SendMessageParams => SendMessageResult,
            [SessionNotFound, SessionFailed, StorageStalled, AgentTaskBusy, QueuePaused, Conflict,
             InvalidEventId, CannotRewindPastCompact, PayloadTooLarge, Overloaded,
             ProviderError, AttachmentRefused, Forbidden];
        /// Lists the channels, through which messages come that no person types: the schedules of the configuration,
        /// with what has come of each, and those that extensions declare.
        ListChannels = "listChannels", Read, ListChannelsParams => ListChannelsResult,
            [ProjectNotFound, FilesystemError];
        /// Has a schedule send its message now, as if it were due. Returns once the message is durable, without waiting
        /// for the turn. Fails with `runtime_busy` if the schedule skips what is due while its session works.
        FireChannel = "fireChannel", Control, FireChannelParams => FireChannelResult,
            [UnknownName, ProjectNotFound, SessionNotFound, SessionFailed, StorageStalled, AgentTaskBusy,
             Conflict, PayloadTooLarge, Overloaded, FilesystemError, Forbidden];
        /// Lists the commands that can be run: those of plugins and extensions, and skills.
        ListCommands = "listCommands", Read, ListCommandsParams => ListCommandsResult,
            [SessionNotFound, SessionFailed, ProjectNotFound, FilesystemError];
        /// Runs a command: sends the message that it stands for. Returns once the message is durable, without
        /// waiting for the turn. That of an extension may be answered by its program first.
        RunCommand = "runCommand", Control, RunCommandParams => RunCommandResult,
            [SessionNotFound, SessionFailed, StorageStalled, AgentTaskBusy, QueuePaused, Conflict,
             PayloadTooLarge, Overloaded, ProviderError, FilesystemError, UnknownName,
             ExtensionUnavailable];
        /// Changes the queue: all operations or none. Starts the next turn if the queue is not paused
        /// then and no turn is open.
        RewriteQueue = "rewriteQueue", Control, RewriteQueueParams => RewriteQueueResult,
            [SessionNotFound, SessionFailed, StorageStalled, Conflict, PayloadTooLarge, Overloaded];
        /// Cancels the open turn, or the compaction or the restore of files without one. Returns at once;
        /// `turn_outcome`, `compaction` or `files_restored` reports how it ended. A restore stops between
        /// batches of files, and its cancel is durable before the reply.
        Cancel = "cancel", Control, CancelParams => CancelResult,
            [SessionNotFound, SessionFailed, StorageStalled];
        /// Makes a turn that waits for a rate limit go on at once.
        EndWait = "endWait", Control, EndWaitParams => SeqResult,
            [SessionNotFound, SessionFailed, StorageStalled, Conflict];
        /// Moves the active leaf back to an earlier event on its path, and files with it if that is
        /// wanted.
        Rewind = "rewind", Control, RewindParams => MoveResult,
            [SessionNotFound, SessionFailed, StorageStalled, AgentTaskBusy, Conflict, InvalidEventId,
             CannotRewindPastCompact, FilesystemError, PayloadTooLarge];
        /// Moves the active leaf to another branch, and files with it if that is wanted.
        Branch = "branch", Control, BranchParams => MoveResult,
            [SessionNotFound, SessionFailed, StorageStalled, AgentTaskBusy, Conflict,
             InvalidEventId, FilesystemError, PayloadTooLarge];
        /// Stores data in the session's log, for extensions and clients. Neither the model nor the
        /// conversation is touched; `getEvents` returns it.
        AppendCustom = "appendCustom", Control, AppendCustomParams => AppendResult,
            [SessionNotFound, SessionFailed, StorageStalled, Conflict, PayloadTooLarge];
        /// Adds a message to the conversation without starting a turn: the model reads it with the
        /// next one. While a turn is open the message is a steer, which that turn reads before its
        /// next model call. Fails with `runtime_busy` while a turn is being cancelled, and while the
        /// conversation is summarised or files are restored without a turn.
        AppendCustomMessage = "appendCustomMessage", Control,
            AppendCustomMessageParams => AppendCustomMessageResult,
            [SessionNotFound, SessionFailed, StorageStalled, AgentTaskBusy, Conflict,
             PayloadTooLarge, Overloaded];
        /// Replaces the older messages in the model's context by a summary. Returns once the
        /// compaction is recorded; a `compact` or `compaction` event reports how it ended. Fails with
        /// `conflict`, `details.kind: nothing`, if the conversation is too short.
        Compact = "compact", Control, CompactParams => CompactResult,
            [SessionNotFound, SessionFailed, StorageStalled, AgentTaskBusy, Conflict, ProviderError];
        /// Says what `restoreFiles`, or `rewind` and `branch` with `restoreFiles`, would do with each
        /// file. Changes nothing.
        PreviewRestore = "previewRestore", Read,
            PreviewRestoreParams => PreviewRestoreResult,
            [SessionNotFound, SessionFailed, InvalidEventId, FilesystemError];
        /// Gives the files of the project that the session has changed since an event the state again
        /// that they had before it. Returns when that is done; `files_restored` reports it, and until then
        /// `restore_progress` how far it is. The conversation stays as it is.
        RestoreFiles = "restoreFiles", Control, RestoreFilesParams => RestoreFilesResult,
            [SessionNotFound, SessionFailed, AgentTaskBusy, InvalidEventId, FilesystemError, Conflict,
             PayloadTooLarge, StorageStalled];
        /// Lists the permission requests that wait for an answer, of all sessions and of agents, the oldest
        /// first, in pages. Loads the sessions that the last daemon left unfinished, if they are not
        /// loaded yet.
        ListQuestions = "listQuestions", Read, ListQuestionsParams => ListQuestionsResult,
            [SessionNotFound, SessionFailed];
        /// Answers a permission request. The first answer counts; a later one fails with `conflict`, whose
        /// details have the recorded decision and who made it (`kind: answered`).
        RespondPermission = "respondPermission", Control,
            RespondPermissionParams => SeqResult, [SessionNotFound, SessionFailed, StorageStalled,
             FilesystemError, Conflict];
    }
    Reading {
        /// Returns the structure of a session's tree, without content, in pages.
        GetTree = "getTree", Read, GetTreeParams => GetTreeResult,
            [SessionNotFound, SessionFailed];
        /// Returns persistent events in ascending order: the first ones after `afterSeq`, or the
        /// last ones before `beforeSeq`.
        GetEvents = "getEvents", Read, GetEventsParams => GetEventsResult,
            [SessionNotFound, SessionFailed];
        /// Returns a turn as one message: its status, its answer, and the end of what its runner logged.
        /// Fails with `invalid_params` if the session has no such turn.
        GetTurn = "getTurn", Read, GetTurnParams => TurnSummary,
            [SessionNotFound, SessionFailed, FilesystemError];
        /// Returns what the next request to the model would hold, and how large it is.
        GetContext = "getContext", Read, GetContextParams => GetContextResult,
            [SessionNotFound, SessionFailed, ProviderError];
        /// Returns a blob, or a range of its bytes.
        GetBlob = "getBlob", Read, GetBlobParams => GetBlobResult,
            [SessionNotFound, SessionFailed, FilesystemError];
        /// Stores a blob, for use in a later message.
        PutBlob = "putBlob", Control, PutBlobParams => PutBlobResult,
            [SessionNotFound, SessionFailed, PayloadTooLarge, StorageStalled];
        /// Returns everything a client missed since its anchors, in pages, without subscribing.
        Resync = "resync", Read, ResyncParams => ResyncResult,
            [SessionNotFound, SessionFailed];
        /// Sends everything a client missed since its anchors, then follows the session, as `event`
        /// notifications. Returns the subscription's id.
        SubscribeEvents = "subscribeEvents", Read, SubscribeEventsParams => SubscriptionId,
            [SessionNotFound, SessionFailed, Overloaded];
        /// Ends a subscription of `subscribeEvents`. Returns whether it existed.
        UnsubscribeEvents = "unsubscribeEvents", Read, UnsubscribeParams => bool, [];
    }
}

/// Looks a method up by its name on the wire.
pub fn method_info(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|method| method.name == name)
}
