//! The methods of the daemon: the one table from which dispatch, the typed client, `rpc.discover`
//! and the protocol document are made.

mod conversation;
mod host;
mod project;
mod reading;
mod session;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use conversation::*;
pub use host::*;
pub use project::*;
pub use reading::*;
pub use session::*;

use crate::ErrorCode;

/// One method: its name on the wire and its types.
pub trait Method: Send + Sync + 'static {
    /// The name on the wire.
    const NAME: &'static str;
    /// The parameters.
    type Params: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    /// The result.
    type Result: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
}

/// What a caller must be allowed to do.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// See projects, sessions and events.
    Read,
    /// Also say things to sessions and change them.
    Control,
    /// Also change what the daemon may reach, and stop it.
    Admin,
}

/// Which part of the documentation a method belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// The daemon itself.
    Host,
    /// Registered directories.
    Projects,
    /// Sessions as things: made, listed, removed.
    Sessions,
    /// What happens in a session.
    Conversation,
    /// Events and blobs.
    Reading,
}

/// Everything about a method that programs and the documentation need.
#[derive(Debug, Clone, Copy)]
pub struct MethodInfo {
    /// The name on the wire.
    pub name: &'static str,
    /// What it does, in a few sentences.
    pub summary: &'static str,
    /// Its part of the documentation.
    pub group: Group,
    /// What a caller must be allowed to do.
    pub access: Access,
    /// Whether this version carries it out; otherwise it answers `unsupported`.
    pub available: bool,
    /// The errors of its own that it may answer with. The JSON-RPC errors, `forbidden`,
    /// `shutting_down` and `internal_error` may come from any method.
    pub errors: &'static [ErrorCode],
    /// The schema of its parameters.
    pub params: fn(&mut SchemaGenerator) -> Schema,
    /// The schema of its result.
    pub result: fn(&mut SchemaGenerator) -> Schema,
    /// The names of its parameters, in the order in which they may be given by position.
    pub param_names: fn() -> Vec<String>,
}

impl MethodInfo {
    /// What the method does, in one line.
    #[must_use]
    pub fn summary_line(&self) -> String {
        let words: Vec<&str> = self.summary.split_whitespace().collect();
        words.join(" ")
    }
}

fn property_names<T: JsonSchema>() -> Vec<String> {
    let schema = SchemaGenerator::default().into_root_schema_for::<T>();
    let properties = schema.get("properties").and_then(|value| value.as_object());
    properties
        .map(|map| map.keys().cloned().collect())
        .unwrap_or_default()
}

macro_rules! methods {
    ($($group:ident {
        $($(#[doc = $doc:literal])*
        $method:ident = $name:literal, $access:ident, $state:ident,
            $params:ty => $result:ty, [$($error:ident),*];)*
    })*) => {
        $($(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, Copy)]
            pub enum $method {}

            impl Method for $method {
                const NAME: &'static str = $name;
                type Params = $params;
                type Result = $result;
            }
        )*)*

        /// Every method, in the order of the documentation.
        pub const METHODS: &[MethodInfo] = &[$($(
            MethodInfo {
                name: $name,
                summary: concat!($($doc, "\n"),*),
                group: Group::$group,
                access: Access::$access,
                available: methods!(@available $state),
                errors: &[$(ErrorCode::$error),*],
                params: |generator| generator.subschema_for::<$params>(),
                result: |generator| generator.subschema_for::<$result>(),
                param_names: property_names::<$params>,
            },
        )*)*];
    };
    (@available now) => { true };
    (@available later) => { false };
}

methods! {
    Host {
        /// Says who the client is and agrees on a protocol version. Optional: a client that needs
        /// neither an identity nor a check of versions may call other methods at once.
        Hello = "hello", Read, now, HelloParams => HelloResult, [ProtocolMismatch];
        /// Says how the daemon is.
        GetStatus = "getStatus", Read, now, NoParams => Status, [];
        /// Asks the daemon to finish what it can and stop.
        Shutdown = "shutdown", Admin, now, NoParams => ShutdownResult, [];
        /// Lists the models that can be used: those that the endpoints say they have, where there is
        /// a key for them, and those of the daemon's own table. Answers after a quarter of a minute
        /// at the latest.
        ListModels = "listModels", Read, now, ListModelsParams => ListModelsResult,
            [ProjectNotFound, ProviderError];
        /// Asks a model for one word, to see whether it can be used. Costs what that costs.
        CheckModel = "checkModel", Control, now, CheckModelParams => CheckModelResult,
            [ProjectNotFound, ProviderError];
        /// Describes every method as an OpenRPC document.
        Discover = "rpc.discover", Read, now, NoParams => serde_json::Value, [];
        /// Follows the daemon: a snapshot, then changes of projects, sessions and phases, as
        /// notifications `host`. The result is the id of the subscription.
        SubscribeHost = "subscribeHost", Read, now, NoParams => SubscriptionId, [Overloaded];
        /// Ends a subscription of `subscribeHost`. Says whether there was one.
        UnsubscribeHost = "unsubscribeHost", Read, now, UnsubscribeParams => bool, [];
    }
    Projects {
        /// Lists the directories inside a directory, so that a client can offer them as projects.
        ListDirectories = "listDirectories", Read, now,
            ListDirectoriesParams => ListDirectoriesResult, [FilesystemError];
        /// Registers a directory as a project. Registering it again gives the same project.
        RegisterProject = "registerProject", Admin, now,
            RegisterProjectParams => RegisterProjectResult,
            [FilesystemError, Conflict, StorageStalled, Overloaded];
        /// Lists the projects.
        ListProjects = "listProjects", Read, now, NoParams => ListProjectsResult, [];
        /// Forgets a project without sessions. Its files stay as they are.
        RemoveProject = "removeProject", Admin, now,
            RemoveProjectParams => RemoveProjectResult,
            [ProjectNotFound, ProjectHasSessions, FilesystemError, Conflict, StorageStalled,
             Overloaded];
    }
    Sessions {
        /// Makes an empty session. Repeated after the session was deleted, the command makes no other
        /// one and answers `session_not_found`.
        CreateSession = "createSession", Control, now,
            CreateSessionParams => CreateSessionResult,
            [ProjectNotFound, SessionNotFound, Conflict, StorageStalled, Overloaded, ProviderError];
        /// Describes a session.
        GetSession = "getSession", Read, now, GetSessionParams => GetSessionResult,
            [SessionNotFound, SessionFailed];
        /// Lists sessions, the one that changed last first.
        ListSessions = "listSessions", Read, now, ListSessionsParams => ListSessionsResult,
            [ProjectNotFound];
        /// Changes a session's title, model or thinking level. What is absent stays.
        UpdateSession = "updateSession", Control, now,
            UpdateSessionParams => UpdateSessionResult,
            [SessionNotFound, SessionFailed, StorageStalled, Conflict, ProviderError];
        /// Puts a session away, or takes it out again.
        ArchiveSession = "archiveSession", Control, now,
            ArchiveSessionParams => UpdateSessionResult,
            [SessionNotFound, SessionFailed, StorageStalled, Conflict];
        /// Removes a session and everything it has stored. A running turn must be cancelled before.
        /// A session that a newer version has written is not removed.
        DeleteSession = "deleteSession", Control, now,
            DeleteSessionParams => DeleteSessionResult,
            [SessionNotFound, SessionFailed, RuntimeBusy, FilesystemError, Conflict,
             StorageStalled, Overloaded];
        /// Makes a new session with the conversation up to an event of another.
        CloneSession = "cloneSession", Control, later,
            CloneSessionParams => CreateSessionResult, [SessionNotFound, InvalidEventId];
        /// Accepts a damaged place of the log, so that the session can go on.
        AcceptDamage = "acceptDamage", Control, now, AcceptDamageParams => SeqResult,
            [SessionNotFound, SessionFailed, StorageStalled, Conflict];
    }
    Conversation {
        /// Says something in a session. Answers once that is durable, never after the turn.
        SendMessage = "sendMessage", Control, now, SendMessageParams => SendMessageResult,
            [SessionNotFound, SessionFailed, StorageStalled, RuntimeBusy, QueuePaused, Conflict,
             InvalidEventId, PayloadTooLarge, Overloaded, Unsupported, ProviderError];
        /// Changes the messages that wait.
        RewriteQueue = "rewriteQueue", Control, later, RewriteQueueParams => SeqResult,
            [SessionNotFound, Conflict];
        /// Cancels the running turn. Answers at once; the turn's outcome says what happened.
        Cancel = "cancel", Control, now, CancelParams => CancelResult,
            [SessionNotFound, SessionFailed, StorageStalled];
        /// Takes the conversation back to an earlier event.
        Rewind = "rewind", Control, later, RewindParams => SeqResult,
            [SessionNotFound, RuntimeBusy, InvalidEventId, CannotRewindPastCompact, Conflict];
        /// Takes the conversation over to another branch.
        Branch = "branch", Control, later, BranchParams => SeqResult,
            [SessionNotFound, RuntimeBusy, InvalidEventId, Conflict];
        /// Replaces earlier events by a summary in the model's context.
        Compact = "compact", Control, later, CompactParams => SeqResult,
            [SessionNotFound, RuntimeBusy];
        /// Answers a request for permission. The first answer counts: another is a conflict.
        RespondPermission = "respondPermission", Control, now,
            RespondPermissionParams => SeqResult, [SessionNotFound, SessionFailed, StorageStalled,
             FilesystemError, Conflict];
    }
    Reading {
        /// Reads the skeleton of a session's tree, in pages.
        GetTree = "getTree", Read, now, GetTreeParams => GetTreeResult,
            [SessionNotFound, SessionFailed];
        /// Reads events of the log in ascending order: those after `afterSeq`, or the last ones
        /// before `beforeSeq`.
        GetEvents = "getEvents", Read, now, GetEventsParams => GetEventsResult,
            [SessionNotFound, SessionFailed];
        /// Reads a blob, or a part of one.
        GetBlob = "getBlob", Read, now, GetBlobParams => GetBlobResult,
            [SessionNotFound, SessionFailed, FilesystemError];
        /// Stores a blob, to be named by a later message.
        PutBlob = "putBlob", Control, now, PutBlobParams => PutBlobResult,
            [SessionNotFound, SessionFailed, PayloadTooLarge, StorageStalled];
        /// Reads everything that was missed, in pages, without following.
        Resync = "resync", Read, now, ResyncParams => ResyncResult,
            [SessionNotFound, SessionFailed];
        /// Reads everything that was missed and then follows the session, as notifications
        /// `event`. The result is the id of the subscription.
        SubscribeEvents = "subscribeEvents", Read, now, SubscribeEventsParams => SubscriptionId,
            [SessionNotFound, SessionFailed, Overloaded];
        /// Ends a subscription of `subscribeEvents`. Says whether there was one.
        UnsubscribeEvents = "unsubscribeEvents", Read, now, UnsubscribeParams => bool, [];
    }
}

/// The method called `name`.
#[must_use]
pub fn method_info(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|method| method.name == name)
}
