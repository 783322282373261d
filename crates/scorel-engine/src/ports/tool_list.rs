use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt, ready};
use serde_json::Map;

use super::lenient::lenient;
use super::quote::quote;
use super::{
    ArgumentError, CallScreen, Tool, ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec,
};

/// The tools that a turn offers to its model, in a stable order. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct ToolList {
    tools: Arc<[Arc<dyn Tool>]>,
    /// Those that can be called, and that requests do not describe.
    deferred: Arc<[Arc<dyn Tool>]>,
    /// Says which of them may be called now.
    screen: Option<Arc<dyn CallScreen>>,
}

/// Two tools have one name, so that a call would not say which is meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two tools are named `{0}`")]
pub struct DuplicateTool(pub String);

impl ToolList {
    /// A list of tools.
    ///
    /// # Errors
    /// Two of them have the same name.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Result<Self, DuplicateTool> {
        let names = tools.iter().map(|tool| &tool.spec().name);
        for (index, name) in names.enumerate() {
            if tools[..index].iter().any(|tool| tool.spec().name == *name) {
                return Err(DuplicateTool(name.clone()));
            }
        }
        Ok(Self {
            tools: tools.into(),
            deferred: Arc::default(),
            screen: None,
        })
    }

    /// The list with tools that can be called, and that requests do not describe. One with the name of another is left
    /// out.
    #[must_use]
    pub fn deferring(self, tools: Vec<Arc<dyn Tool>>) -> Self {
        let is_free = |tool: &Arc<dyn Tool>| self.specs().all(|it| it.name != tool.spec().name);
        Self {
            deferred: tools.into_iter().filter(is_free).collect(),
            ..self
        }
    }

    /// The tools for which `keep` holds. The others do not exist for the model.
    pub fn only(&self, keep: impl Fn(&ToolSpec) -> bool) -> Self {
        let kept = |tools: &[Arc<dyn Tool>]| {
            let kept = tools.iter().filter(|tool| keep(tool.spec()));
            kept.cloned().collect()
        };
        Self {
            tools: kept(&self.tools),
            deferred: kept(&self.deferred),
            screen: self.screen.clone(),
        }
    }

    /// The tools that a screen offers, each call of which it may refuse.
    #[must_use]
    pub fn screened_by(&self, screen: &Arc<dyn CallScreen>) -> Self {
        Self {
            screen: Some(Arc::clone(screen)),
            ..self.only(|spec| screen.offers(spec))
        }
    }

    /// The answer to a call of a tool that may not be called now.
    pub fn refusal(&self, call: &ToolCall) -> Option<ToolOutcome> {
        let screen = self.screen.as_ref()?;
        let tool = self.get(&call.name)?;
        let callable = self.tools.iter().chain(&*self.deferred);
        let callable: Vec<&ToolSpec> = callable.map(|tool| tool.spec()).collect();
        screen.refusal(tool.spec(), &callable)
    }

    /// Each tool as requests describe it.
    pub fn specs(&self) -> impl ExactSizeIterator<Item = &ToolSpec> {
        self.tools.iter().map(|tool| tool.spec())
    }

    /// The tool of that name; in other capitals, if there is one such tool.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        let all = || self.tools.iter().chain(&*self.deferred);
        let exact = all().find(|tool| tool.spec().name == name);
        exact.or_else(|| {
            let is_like = |tool: &&Arc<dyn Tool>| tool.spec().name.eq_ignore_ascii_case(name);
            let mut like = all().filter(is_like);
            like.next().filter(|_| like.next().is_none())
        })
    }

    /// The call that runs in the place of this one: that of another tool, where the model calls one through another.
    /// Calls of tools that do not exist stay as they are.
    pub fn unwrapped(&self, call: ToolCall) -> ToolCall {
        let tool = self.get(&call.name);
        let inner = tool.and_then(|tool| tool.stands_for(&call));
        match inner {
            Some(inner) if self.get(&inner.name).is_some() => inner,
            _ => call,
        }
    }

    /// The names of the offered tools from outside that an endpoint's refusal is about: it names them, or their places
    /// in the request.
    pub fn refused_by(&self, message: &str) -> Vec<String> {
        let places = places(message);
        let offered = self.specs().enumerate();
        let refused = offered.filter(|(place, spec)| {
            spec.class == ToolClass::Outside
                && (names(message, &spec.name) || places.contains(place))
        });
        refused.map(|(_, spec)| spec.name.clone()).collect()
    }

    /// The names of all offered tools from outside.
    pub fn from_outside(&self) -> Vec<String> {
        let outside = self.specs().filter(|spec| spec.class == ToolClass::Outside);
        outside.map(|spec| spec.name.clone()).collect()
    }

    /// A call as its tool would take it: with the tool's own name, and with the names of the schema where the
    /// arguments are in the spellings of other tools. Else a guard would look for a command where there is none.
    pub fn canonical(&self, call: &ToolCall) -> ToolCall {
        let mut call = call.clone();
        if let Some(tool) = self.get(&call.name) {
            let spec = tool.spec();
            call.name.clone_from(&spec.name);
            if spec.class != ToolClass::Outside {
                call.input = lenient(call.input, &spec.parameters);
            }
        }
        call
    }

    /// Plans a call. An unknown tool and arguments that are not a JSON object are answered here, without
    /// effects.
    pub fn plan(&self, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let Some(tool) = self.get(&call.name) else {
            return ready(ToolPlan::answered(self.unknown(&call.name))).boxed();
        };
        if let Some(written) = &call.invalid_input {
            let message = format!("the arguments are not a JSON object: {}", quote(written));
            return ready(ToolPlan::answered(ArgumentError::new(message))).boxed();
        }
        Arc::clone(tool).plan(call)
    }

    fn unknown(&self, name: &str) -> ToolOutcome {
        let names: Vec<&str> = self.specs().map(|spec| spec.name.as_str()).collect();
        let known = match names.as_slice() {
            [] => "this session has no tools".to_owned(),
            names => format!("the tools are {}", names.join(", ")),
        };
        let message = format!("no tool is named `{}`; {known}", quote(name));
        ToolOutcome::failure("E_UNKNOWN_TOOL", &message, Map::new())
    }
}

/// Returns whether a text has a tool's name as a whole word.
fn names(text: &str, name: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

/// The places of tools that a text names, as `tools.3.` and `tools[3]`, or `function_declarations[3]` of a group.
fn places(text: &str) -> Vec<usize> {
    let mut places = Vec::new();
    for list in ["tools.", "tools[", "function_declarations["] {
        for (at, _) in text.match_indices(list) {
            let after = &text[at + list.len()..];
            let digits = after.find(|char: char| !char.is_ascii_digit());
            let is_group = list == "tools[" && text.contains("function_declarations[");
            if let (false, Ok(place)) = (is_group, after[..digits.unwrap_or(after.len())].parse()) {
                places.push(place);
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_tools_or_their_places() {
        assert!(names(
            "Invalid schema for function 'mcp__a__b': no",
            "mcp__a__b"
        ));
        assert!(!names(
            "Invalid schema for function 'mcp__a__bc': no",
            "mcp__a__b"
        ));
        assert_eq!(places("tools.12.custom.input_schema: invalid"), [12]);
        assert_eq!(places("Invalid 'tools[3].function.parameters'"), [3]);
        assert_eq!(
            places("GenerateContentRequest.tools[0].function_declarations[7].parameters"),
            [7]
        );
    }
}
