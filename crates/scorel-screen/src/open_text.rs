use scorel_proto::{DisplayStyle, EventId};

use crate::text_block::TextBlock;

/// A block of a message that is being generated, with the text that has come so far.
#[derive(Debug)]
pub(crate) struct OpenText {
    pub(crate) message: EventId,
    pub(crate) index: u32,
    pub(crate) style: DisplayStyle,
    /// All of it: the record of the message is compared with it.
    pub(crate) text: String,
    pub(crate) block: TextBlock,
    /// Tells its lines from those of other blocks.
    pub(crate) number: u64,
}
