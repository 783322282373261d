//! Schedules: when each is due, and the one task that has their messages sent.

mod channels_config;
mod due;
mod entry;
mod fire_error;
mod message;
mod port;
mod report;
mod schedule;
mod task;
#[cfg(test)]
mod tests;
mod zone;

pub use channels_config::ChannelsConfig;
pub use entry::{CatchUp, CronEntry, CronSession, Overlap};
pub use fire_error::FireError;
pub use message::{CronMessage, LastSession};
pub use port::{CronConfig, CronPort};
pub use report::CronReport;
pub use schedule::{CronSchedule, InvalidSchedule};
pub use task::Cron;
pub use zone::{CronZone, UnknownZone};
