use std::io;

use scorel_peer::FrameError;

/// The reason why a connection ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConnectionEnd {
    /// End of file: the peer sends no more.
    PeerClosed,
    BadFrame(FrameError),
    Shutdown,
    /// [`Connection::close`](crate::Connection::close) was called, or a subscription panicked.
    Closed,
    /// Also if the peer read nothing for [`RpcLimits::write_timeout`](crate::RpcLimits::write_timeout).
    WriteFailed(io::Error),
}
