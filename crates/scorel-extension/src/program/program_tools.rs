use std::future::ready;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_engine::ToolOutcome;
use scorel_outside_tool::{ListedTool, OutsideReading, OutsideRun, OutsideSource};

use super::extension_program::ExtensionProgram;
use super::extension_tool::{ExtensionTool, ToolScene};
use super::manifest::Manifest;

/// The tools of an extension, for the turns of a session. They stand in its manifest.
#[derive(Debug)]
pub struct ProgramTools {
    name: String,
    manifest: Arc<Manifest>,
    tools: Vec<Arc<ListedTool>>,
    program: Arc<ExtensionProgram>,
    scene: Arc<ToolScene>,
}

impl ProgramTools {
    pub fn new(
        manifest: Arc<Manifest>,
        program: Arc<ExtensionProgram>,
        scene: Arc<ToolScene>,
    ) -> Self {
        let tools = manifest.tools.iter().map(|tool| {
            Arc::new(ListedTool {
                name: tool.name.clone(),
                description: tool.description.clone(),
                schema: Arc::clone(&tool.schema),
                says_read_only: tool.read_only,
            })
        });
        Self {
            name: format!("ext:{}", manifest.id),
            tools: tools.collect(),
            manifest,
            program,
            scene,
        }
    }
}

impl OutsideSource for ProgramTools {
    fn name(&self) -> &str {
        &self.name
    }

    fn known(&self) -> Option<Vec<Arc<ListedTool>>> {
        Some(self.tools.clone())
    }

    fn look(&self) {}

    fn list(&self) -> BoxFuture<'static, Result<Vec<Arc<ListedTool>>, String>> {
        Box::pin(ready(Ok(self.tools.clone())))
    }

    /// A call starts it.
    fn ready(&self) -> BoxFuture<'static, Result<(), ToolOutcome>> {
        Box::pin(ready(Ok(())))
    }

    fn reading(&self, says_read_only: bool) -> OutsideReading {
        match says_read_only {
            true => OutsideReading::Said,
            false => OutsideReading::Unknown,
        }
    }

    fn run(&self, tool: &Arc<ListedTool>) -> Result<Arc<dyn OutsideRun>, String> {
        let mut tools = self.manifest.tools.iter();
        let tool = tools.find(|it| it.name == tool.name);
        let tool = tool.ok_or("its extension does not have it any more")?;
        let (program, scene) = (Arc::clone(&self.program), Arc::clone(&self.scene));
        Ok(Arc::new(ExtensionTool::new(tool.clone(), program, scene)))
    }
}
