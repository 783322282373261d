//! Programs that hear of what sessions publish.

use std::sync::Arc;

use scorel_extension::program::{ExtensionProgram, Manifest};
use scorel_guidance::skills::SkillProject;

use super::{ExtensionPrograms, UsableProgram};
use crate::listeners::{Heard, Listener, ListenerPlace, ListenerSource, Reception};

#[derive(Debug)]
struct ListeningProgram {
    manifest: Arc<Manifest>,
    program: Arc<ExtensionProgram>,
}

impl Listener for ListeningProgram {
    fn name(&self) -> &str {
        self.manifest.id.as_str()
    }

    fn hears(&self, kind: &str) -> bool {
        self.manifest.events.iter().any(|event| event == kind)
    }

    fn heard(&self, event: Arc<Heard>) -> Reception {
        match self.program.hears(&event.event) {
            true => Reception::Taken,
            false => Reception::Missed,
        }
    }
}

impl ListenerSource for ExtensionPrograms {
    fn listeners(&self, place: ListenerPlace) -> Vec<Arc<dyn Listener>> {
        let project = self.means.projects.get(place.project_id);
        let project = project.map(|it| SkillProject {
            id: place.project_id,
            dir: it.work_dir.into(),
        });
        let listening = self.usable(project.as_ref()).into_iter();
        let listening = listening.filter(|it| !it.manifest.events.is_empty());
        let listening = listening.map(|it| {
            let UsableProgram {
                manifest, program, ..
            } = it;
            Arc::new(ListeningProgram { manifest, program }) as _
        });
        listening.collect()
    }
}
