use crate::inline::inline;

/// The tools of a run over all its nodes, for the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownPolicy {
    /// The names of tools, in their order.
    pub tools: Vec<String>,
    pub max_read_bytes: u64,
    pub max_write_bytes: u64,
    /// Servers of the Model Context Protocol.
    pub servers: Vec<String>,
}

/// The part `workflow` of a snapshot: rules of a run, and its tools. It is the same at every node and in every mode, so that
/// the beginning of a request stays.
pub fn run_rules(policy: &ShownPolicy) -> String {
    let names = |names: &[String]| match names {
        [] => "none".to_owned(),
        names => names
            .iter()
            .map(|it| inline(it))
            .collect::<Vec<_>>()
            .join(", "),
    };
    format!(
        "{}\n# Tools of this run\n\n- tools: {}\n- maxReadBytes: {}\n- maxWriteBytes: {}\n- servers: {}\n",
        include_str!("run_rules.md"),
        names(&policy.tools),
        policy.max_read_bytes,
        policy.max_write_bytes,
        names(&policy.servers)
    )
}
