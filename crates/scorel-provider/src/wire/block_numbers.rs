/// Counts the blocks of one reply. The engine assembles blocks by number, so a block must take its
/// number when its first event is emitted, not when the provider announces it.
#[derive(Debug, Default)]
pub(crate) struct BlockNumbers(usize);

impl BlockNumbers {
    pub(crate) const fn take_next(&mut self) -> usize {
        self.0 += 1;
        self.0 - 1
    }

    /// How many numbers were taken.
    pub(crate) const fn taken(&self) -> usize {
        self.0
    }
}
