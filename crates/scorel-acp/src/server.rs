use std::io;
use std::sync::Arc;
use std::time::Duration;

use scorel_client::{Caller, Connect};
use scorel_peer::{Closed, Peer, RequestId, RequestObject, StdioService};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::daemon::Daemon;
use crate::editor::Editor;
use crate::room::Room;
use crate::v1::Agent;

/// The longest line of an editor, in bytes. A prompt may hold several images, of which the daemon takes 4 MiB each.
const MAX_LINE: usize = 32 * 1024 * 1024;

/// The time that requests have, and then what is told of turns, once the editor has closed its end.
const GOODBYE: Duration = Duration::from_secs(5);

/// Serves the editor at the other end of the standard streams, until it closes its end. Its turns go on when it ends.
///
/// `caller` calls the daemon, which it may start; `connector` makes the connections on which sessions are followed, and
/// does not: a daemon that was stopped stays so until the editor asks for something. `is_local` says that the daemon's files
/// are those of this machine.
///
/// # Errors
/// The editor's output has no end or cannot be read, or the standard output cannot be used.
pub async fn serve_stdio<C>(caller: Caller<C>, connector: C, is_local: bool) -> io::Result<()>
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let daemon = Daemon::new(caller, connector, is_local);
    let editor = Editor::new();
    let server = Server {
        agent: Arc::new(Agent::new(daemon, editor.clone())),
        editor,
        room: Room::default(),
        requests: JoinSet::new(),
    };
    scorel_peer::serve_stdio(server, MAX_LINE).await
}

struct Server<C> {
    agent: Arc<Agent<C>>,
    editor: Editor,
    room: Room,
    requests: JoinSet<()>,
}

impl<C: Connect + Clone + Send + Sync + 'static> StdioService for Server<C> {
    fn peer(&self) -> &Arc<Peer> {
        self.editor.peer()
    }

    async fn called(
        &mut self,
        id: RequestId,
        request: &RequestObject<'_>,
        bytes: usize,
    ) -> Result<(), Closed> {
        while self.requests.try_join_next().is_some() {}
        let room = self.room.take(bytes).await;
        self.requests.spawn(self.agent.request(id, request, room));
        Ok(())
    }

    fn notified(&mut self, notification: &RequestObject<'_>) {
        self.agent.notified(notification);
    }

    /// Requests that the editor wrote before it went are carried out; its turns are not waited for.
    async fn finish(&mut self) {
        self.room.empty(GOODBYE).await;
        let _left = timeout(GOODBYE, self.agent.leave()).await;
    }
}
