//! `findFiles`: a project's files by a part of their names.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    FindFiles, FindFilesParams, FindFilesResult, ListProjects, NoParams, ProjectId,
};
use scorel_testkit::DaemonUnderTest;

use crate::under_test::{PATIENCE, SCORELD, new_session};

struct Project {
    daemon: DaemonUnderTest,
    client: Connection,
    id: ProjectId,
}

impl Project {
    async fn with(files: &[&str]) -> Self {
        Self::configured("", files).await
    }

    async fn configured(config: &str, files: &[&str]) -> Self {
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure(config);
        // Places of credentials are below the user's home.
        let home = daemon.project().to_str().unwrap().to_owned();
        daemon = daemon.with_variable("HOME", &home);
        for file in files {
            write(&daemon.project(), file);
        }
        daemon.spawn().await;
        let (client, _) = new_session(&daemon).await;
        let listed = client.call::<ListProjects>(&NoParams {}).await.unwrap();
        let id = listed.projects[0].project_id;
        Self { daemon, client, id }
    }

    async fn find(&self, query: &str, limit: u32) -> Result<FindFilesResult, ClientError> {
        let params = FindFilesParams {
            project_id: self.id,
            query: query.to_owned(),
            limit: Some(limit),
        };
        self.client.call::<FindFiles>(&params).await
    }

    async fn found(&self, query: &str) -> Vec<String> {
        let found = self.find(query, 100).await.unwrap();
        assert!(found.complete);
        found.files
    }
}

fn write(project: &Path, file: impl AsRef<Path>) {
    let path = project.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "").unwrap();
}

#[tokio::test]
async fn files_are_found_by_a_part_of_their_names_and_what_is_ignored_is_not() {
    let files = [
        "src/parse.rs",
        "src/parse/line.rs",
        "docs/how to parse.md",
        "target/parse.o",
        ".git/parse",
        ".config/parse.toml",
    ];
    let project = Project::with(&files).await;
    fs::write(project.daemon.project().join(".gitignore"), "/target\n").unwrap();
    fs::create_dir_all(project.daemon.project().join(".git")).unwrap();
    assert_eq!(
        project.found("parse").await,
        [
            "src/parse.rs",
            ".config/parse.toml",
            "docs/how to parse.md",
            "src/parse/line.rs",
        ]
    );
    assert_eq!(project.found("sln").await, ["src/parse/line.rs"]);
    assert!(project.found("no such file").await.is_empty());
}

#[tokio::test]
async fn a_link_is_listed_if_it_leads_to_a_file_of_the_project() {
    let project = Project::with(&["a.txt"]).await;
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "secret.txt");
    for (target, link) in [
        (outside.path().to_owned(), "out"),
        (outside.path().join("secret.txt"), "out.txt"),
        ("a.txt".into(), "link.txt"),
        (".".into(), "circle"),
        ("gone".into(), "broken"),
    ] {
        symlink(target, project.daemon.project().join(link)).unwrap();
    }
    let name = std::ffi::OsStr::from_bytes(b"not \xff text");
    write(&project.daemon.project(), name);
    write(&project.daemon.project(), "a\u{202e}\n.txt");
    assert_eq!(
        project.found("").await,
        ["a.txt", "link.txt", "a\u{202e}\n.txt"],
        "names are data, and nothing stands for one that is not text"
    );
}

#[tokio::test]
async fn a_new_file_is_found_when_the_list_is_made_again() {
    let project = Project::with(&["old.txt"]).await;
    assert_eq!(project.found("txt").await, ["old.txt"]);
    write(&project.daemon.project(), "new.txt");
    let seen = async {
        while !project.found("txt").await.contains(&"new.txt".to_owned()) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, seen).await.unwrap();
}

#[tokio::test]
async fn a_large_project_is_found_in_and_askers_share_one_walk() {
    let project = Project::with(&[]).await;
    for number in 0..20_000 {
        write(
            &project.daemon.project(),
            format!("d{}/f{number}.rs", number % 100),
        );
    }
    let asked = (0..50).map(|_| project.find("f19999", 3));
    for found in futures_util::future::join_all(asked).await {
        let found = found.unwrap();
        assert_eq!(found.files, ["d99/f19999.rs"]);
        assert!(found.complete);
    }
    assert_eq!(project.find("f", 100).await.unwrap().files.len(), 100);
}

#[tokio::test]
async fn what_cannot_be_answered_is_told() {
    let project = Project::with(&["a"]).await;
    for (query, limit, field) in [
        ("q".repeat(257), 1, "query"),
        (String::new(), 0, "limit"),
        (String::new(), 101, "limit"),
    ] {
        let error = project.find(&query, limit).await.unwrap_err().to_string();
        assert!(error.contains(field), "{error}");
    }
    fs::remove_dir_all(project.daemon.project()).unwrap();
    let error = project.find("a", 1).await.unwrap_err().to_string();
    assert!(error.contains("cannot list"), "{error}");
}

#[tokio::test]
async fn what_is_kept_from_models_is_not_offered() {
    let config = "[permissions]\ndeny = [\"Read(secret/**)\"]\nask = [\"Read(asked.txt)\"]\n\
                  [tools]\nhidden = [\"~/hidden.txt\"]\n";
    let files = [
        "a.txt",
        "asked.txt",
        "secret/b.txt",
        "hidden.txt",
        ".ssh/id_rsa",
    ];
    let project = Project::configured(config, &files).await;
    let directory = project.daemon.project();
    symlink("secret/b.txt", directory.join("to-secret.txt")).unwrap();
    assert_eq!(project.found("").await, ["a.txt", "asked.txt"]);
}
