/// The names by which authorization servers may know this program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientNames<'a> {
    /// The address of a document about it.
    pub document: Option<&'a str>,
    /// Its name where it was registered by hand. It counts before all else.
    pub id: Option<&'a str>,
    /// The name of the secret of that registration, if it has one.
    pub secret: Option<&'a str>,
}
