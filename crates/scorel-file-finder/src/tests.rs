use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;

use super::*;

fn project(id: ProjectId, directory: &Path, walks: &Arc<AtomicUsize>) -> FoundProject {
    let walks = Arc::clone(walks);
    FoundProject {
        id,
        directory: directory.to_owned(),
        admission: Box::new(move || {
            walks.fetch_add(1, Ordering::Relaxed);
            None
        }),
    }
}

#[tokio::test]
async fn those_who_leave_and_those_who_stay_share_one_walk() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a"), "").unwrap();
    let (finder, id, walks) = (FileFinder::default(), ProjectId::generate(), Arc::default());
    for _ in 0..10 {
        let asked = finder.find(project(id, directory.path(), &walks), String::new(), 9);
        assert!(asked.now_or_never().is_none(), "the walk has not begun");
    }
    let asked = (0..10).map(|_| finder.find(project(id, directory.path(), &walks), "a".into(), 9));
    for found in futures_util::future::join_all(asked).await {
        assert_eq!(found.unwrap().files, ["a"]);
    }
    assert_eq!(walks.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn few_lists_are_kept_and_an_error_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let (finder, walks) = (FileFinder::default(), Arc::default());
    for _ in 0..2 * MAX_LISTS {
        let project = project(ProjectId::generate(), directory.path(), &walks);
        finder.find(project, String::new(), 9).await.unwrap();
        assert!(finder.lists().len() <= MAX_LISTS);
    }
    let (id, later) = (ProjectId::generate(), directory.path().join("later"));
    let absent = finder.find(project(id, &later, &walks), String::new(), 9);
    assert_eq!(absent.await.unwrap_err().kind(), io::ErrorKind::NotFound);
    std::fs::create_dir(&later).unwrap();
    let empty = finder.find(project(id, &later, &walks), String::new(), 9);
    assert!(empty.await.unwrap().files.is_empty());
}
