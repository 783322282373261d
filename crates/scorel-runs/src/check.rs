use std::path::Path;

use scorel_guidance::skills::SkillProject;
use scorel_proto::{CheckWorkflowResult, WorkflowProblem};
use scorel_workflow::{Package, PackageReading, Plan, Problem, Workflow};

use crate::error::RunError;
use crate::runs::{Runs, read_package};

impl Runs {
    /// Looks at a workflow by its name. Reads files; blocks.
    ///
    /// # Errors
    /// There is none of this name, or its files cannot be read.
    pub fn check_workflow(
        &self,
        name: &str,
        project: Option<&SkillProject>,
    ) -> Result<CheckWorkflowResult, RunError> {
        let (parsed, installed) = self.find(name, project)?;
        let reading = reading(&installed.dir)?;
        let is_there = |package: &Package| package.workflow(parsed.workflow.as_deref()).is_some();
        if reading.package.as_ref().is_ok_and(|it| !is_there(it)) {
            return Err(RunError::WorkflowNotFound {
                name: name.to_owned(),
                suggestion: None,
                reason: Some("the package has no workflow of this id".to_owned()),
            });
        }
        Ok(checked(&reading, parsed.workflow.as_deref()))
    }

    /// Looks at the package in a directory. Reads files; blocks.
    ///
    /// # Errors
    /// Its files cannot be read.
    pub fn check_package(path: &Path) -> Result<CheckWorkflowResult, RunError> {
        Ok(checked(&reading(path)?, None))
    }
}

fn reading(dir: &Path) -> Result<PackageReading, RunError> {
    read_package(dir).map_err(|reason| RunError::Unreadable {
        path: dir.to_owned(),
        reason,
    })
}

fn checked(reading: &PackageReading, workflow: Option<&str>) -> CheckWorkflowResult {
    let warnings = reading.warnings.iter().map(problem).collect();
    let package = match &reading.package {
        Ok(package) => package,
        Err(problems) => {
            return CheckWorkflowResult {
                problems: problems.iter().map(problem).collect(),
                warnings,
                plan: None,
                plan_text: Vec::new(),
                digest: None,
            };
        }
    };
    let plan = package.workflow(workflow).map(|it| plan(package, it));
    CheckWorkflowResult {
        problems: Vec::new(),
        warnings,
        plan_text: plan.as_ref().map(Plan::lines).unwrap_or_default(),
        digest: plan.as_ref().map(Plan::digest),
        plan: plan.and_then(|plan| serde_json::to_value(plan).ok()),
    }
}

/// The plan that a person confirms.
pub(crate) fn plan(package: &Package, workflow: &Workflow) -> Plan {
    Plan::of(package, workflow)
}

fn problem(problem: &Problem) -> WorkflowProblem {
    let code = serde_json::to_value(problem.code).ok();
    WorkflowProblem {
        file: problem.file.clone(),
        pointer: problem.pointer.clone(),
        code: code
            .and_then(|it| it.as_str().map(str::to_owned))
            .unwrap_or_default(),
        message: problem.message.clone(),
    }
}
