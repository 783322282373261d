/// Words for a kind of directory in the home, as messages and error codes have them.
#[derive(Debug)]
pub(in crate::commands) struct InstallWords {
    pub(in crate::commands) noun: &'static str,
    /// With its article.
    pub(in crate::commands) one: &'static str,
    pub(in crate::commands) plural: &'static str,
    /// The codes of errors.
    pub(in crate::commands) exists: &'static str,
    pub(in crate::commands) unusable: &'static str,
    pub(in crate::commands) list_hint: &'static str,
    pub(in crate::commands) check_hint: &'static str,
}
