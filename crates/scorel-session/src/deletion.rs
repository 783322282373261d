/// How a session is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletion {
    /// It can be brought back for as long as the trash keeps it.
    ToTrash,
    /// For good.
    Now,
}
