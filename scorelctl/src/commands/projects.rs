use scorel_proto::{ListProjects, NoParams};

use crate::daemon::DaemonClient;
use crate::escape::one_line;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};

pub(super) async fn run(control: &mut DaemonClient, output: &mut Output) -> Result<Exit, Failure> {
    let answer = control.call::<ListProjects>(&NoParams {}).await?;
    result(output, &answer, |output| {
        for project in &answer.projects {
            let (name, path) = (one_line(&project.display_name), one_line(&project.work_dir));
            output.line(&format!("{}  {name}  {path}", project.project_id))?;
        }
        Ok(())
    })?;
    if answer.projects.is_empty() {
        output.note("no projects yet; `scorelctl send` registers the working directory")?;
    }
    Ok(Exit::Success)
}
