/// Notifications without a meaning for a turn.
pub(super) fn is_known(method: &str) -> bool {
    const GROUPS: &[&str] = &[
        "account/",
        "app/",
        "hook/",
        "mcpServer/",
        "model/",
        "modelProvider/",
        "project/",
        "rawResponse/",
        "rawResponseItem/",
        "remoteControl/",
        "skills/",
        "thread/",
        "turn/",
    ];
    GROUPS.iter().any(|group| method.starts_with(group))
}
