use crate::named::named;

named! {
    /// The kind of sender that a channel has.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ChannelKind {
        /// The daemon, by a schedule of the configuration.
        Cron = "cron",
        /// A client, which names the channel.
        Cli = "cli",
        /// The program of an extension that declares the channel.
        Extension = "extension",
    }
}
