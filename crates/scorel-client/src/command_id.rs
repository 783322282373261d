use scorel_proto::{CommandId, EventId};

/// Generates the idempotency key of a command. A command that is repeated with its key takes effect once.
pub fn new_command_id() -> CommandId {
    // An event id provides the clock and the randomness, and consists of visible ASCII as required.
    let id = EventId::generate().to_string();
    let digits = id.trim_start_matches(EventId::PREFIX);
    format!("cmd_{digits}")
        .parse()
        .expect("a ULID is short and visible ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_commands_have_the_same_name() {
        assert_ne!(new_command_id(), new_command_id());
        assert!(new_command_id().as_str().starts_with("cmd_"));
    }
}
