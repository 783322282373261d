//! Messages that no person types, and the channels that they come through.
//!
//! In: what a client or an extension says of a message's source, the schedules of the configuration, the wall clock.
//! Out: the author and the command id of such a message, by which a session accepts it once, and through a [`CronPort`]
//! the messages of schedules that are due. The crate knows no sessions: the port sends, and says what became of it.

mod channel_name;
mod channels_file;
mod cron;
mod source;

pub use channel_name::{ChannelName, InvalidChannelName};
pub use cron::{
    CatchUp, ChannelsConfig, Cron, CronConfig, CronEntry, CronMessage, CronPort, CronReport,
    CronSchedule, CronSession, CronZone, FireError, InvalidSchedule, LastSession, Overlap,
    UnknownZone,
};
pub use source::{CRON, ChannelSender, RefusedSource, accept_source, author};
