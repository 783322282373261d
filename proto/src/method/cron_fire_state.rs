use crate::named::named;

named! {
    /// The end of a schedule that was due.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CronFireState {
        /// The message was delivered.
        Delivered = "delivered",
        /// No message was sent, as the schedule says for such a case.
        Skipped = "skipped",
        /// The message could not be delivered.
        Failed = "failed",
    }
}
