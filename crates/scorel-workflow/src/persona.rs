use crate::agent::{Agent, Principles};
use crate::inline::{PERSONA, block, inline};

/// The part that tells the model whose role it has from here on.
pub fn persona(agent: &Agent) -> String {
    let text = match agent.system_prompt.as_deref().map(str::trim) {
        None | Some("") => composed(agent),
        Some(prompt) => prompt.to_owned(),
    };
    format!(
        "{PERSONA}\n- agentId: {}\n{}\n",
        inline(&agent.id),
        block(&text)
    )
}

fn composed(agent: &Agent) -> String {
    let (about, persona) = (&agent.metadata, &agent.persona);
    let mut text = format!(
        "You are {}, {} {}.\nRole: {}\nIdentity: {}\nCommunication style: {}",
        about.name,
        about.title,
        about.icon,
        persona.role.trim(),
        persona.identity.trim(),
        persona.communication_style.trim()
    );
    let principles = match &persona.principles {
        Principles::Text(text) => std::slice::from_ref(text),
        Principles::List(list) => list,
    };
    for (name, items) in [
        ("Principles", principles),
        ("Always", &agent.critical_actions),
    ] {
        let items = items.iter().map(|it| format!("\n- {}", it.trim()));
        let items: String = items.collect();
        if !items.is_empty() {
            text.push_str(&format!("\n{name}:{items}"));
        }
    }
    text
}
