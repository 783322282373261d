use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::thread;

use tempfile::TempDir;

use super::*;

fn home() -> (TempDir, DaemonHome) {
    let directory = tempfile::tempdir().expect("a directory");
    let home = DaemonHome::resolve(Some(directory.path()), |_| None).expect("a home");
    (directory, home)
}

fn device(name: &str) -> Device {
    Device {
        name: name.to_owned(),
        address: format!("ssh:anna@{name}"),
    }
}

fn told(failure: &Failure) -> String {
    let Failure::Report(report) = failure else {
        panic!("a report")
    };
    format!(
        "{}; {}",
        report.message,
        report.hint.as_deref().unwrap_or_default()
    )
}

#[test]
fn machines_are_kept_for_the_owner_only() {
    let (_directory, home) = home();
    let devices = Devices::of(&home);
    assert_eq!(devices.all().expect("none"), []);
    devices.add(device("build")).expect("added");
    devices.add(device("arm")).expect("added");
    devices.add(device("build")).expect("the same again");
    assert_eq!(
        devices.all().expect("two"),
        [device("arm"), device("build")]
    );
    let host = devices.find("build").expect("known");
    assert_eq!(host.as_str(), "anna@build");
    let mode = fs::metadata(home.path().join("devices.json")).expect("a file");
    assert_eq!(mode.permissions().mode() & 0o777, 0o600);
    let removed = devices.remove("build").expect("removed");
    assert_eq!(removed, device("build"));
    assert_eq!(devices.all().expect("one"), [device("arm")]);
    assert_eq!(fs::read_dir(home.path()).expect("a listing").count(), 1);
}

#[test]
fn a_name_stands_for_one_machine_and_an_unknown_one_is_told_what_was_meant() {
    let (_directory, home) = home();
    let devices = Devices::of(&home);
    let none = told(&devices.find("build").expect_err("none"));
    assert!(none.contains("remote add"), "{none}");
    devices.add(device("build")).expect("added");
    let other = Device {
        address: "ssh:elsewhere".to_owned(),
        ..device("build")
    };
    let taken = told(&devices.add(other).expect_err("taken"));
    assert!(
        taken.contains("ssh:anna@build") && taken.contains("remove build"),
        "{taken}"
    );
    for typed in [devices.find("biuld").err(), devices.remove("biuld").err()] {
        let told = told(&typed.expect("unknown"));
        assert!(told.contains("did you mean `build`?"), "{told}");
    }
}

#[test]
fn a_file_that_is_damaged_or_newer_is_told_and_left_alone() {
    let (_directory, home) = home();
    let devices = Devices::of(&home);
    let path = home.path().join("devices.json");
    for (text, why) in [
        ("{\"version\":1,", "damaged"),
        ("[]", "damaged"),
        ("{\"version\":1,\"devices\":[{}]}", "damaged"),
        ("{\"version\":2,\"devices\":{}}", "a newer scorelctl"),
    ] {
        fs::write(&path, text).expect("written");
        for failure in [
            devices.all().err(),
            devices.find("build").err(),
            devices.add(device("build")).err(),
            devices.remove("build").err(),
        ] {
            let told = told(&failure.expect("refused"));
            assert!(
                told.contains(why) && told.contains("devices.json"),
                "{told}"
            );
        }
        assert_eq!(fs::read_to_string(&path).expect("text"), text);
    }
    let foreign =
        "{\"version\":1,\"devices\":[{\"name\":\"x\",\"address\":\"ssh:-oProxyCommand=y\"}]}";
    fs::write(&path, foreign).expect("written");
    let told = told(&devices.find("x").expect_err("an option"));
    assert!(told.contains("begin with `-`"), "{told}");
}

#[test]
fn changes_at_once_are_all_kept() {
    let (_directory, home) = home();
    thread::scope(|scope| {
        for number in 0..16 {
            let home = &home;
            scope.spawn(move || {
                Devices::of(home)
                    .add(device(&format!("m{number}")))
                    .expect("added");
            });
        }
    });
    assert_eq!(Devices::of(&home).all().expect("all").len(), 16);
}

#[test]
fn names_need_no_quotes_and_are_no_options() {
    for name in ["build", "a.b-c_1", "9"] {
        assert_eq!(device_name(name).as_deref(), Ok(name));
    }
    for name in [
        "",
        "-x",
        ".x",
        "a b",
        "a/b",
        "ü",
        "a\u{1b}",
        &"x".repeat(65),
    ] {
        assert!(device_name(name).is_err(), "{name}");
    }
}

#[test]
fn the_file_of_as_many_machines_as_there_may_be_is_read_again() {
    let (_directory, home) = home();
    let devices = Devices::of(&home);
    let long = |number: usize| Device {
        name: format!("{number:0>64}"),
        address: format!("ssh:{}", "x".repeat(512)),
    };
    let all = (0..MAX_DEVICES).map(long).collect();
    devices.write(all).expect("written");
    assert_eq!(devices.all().expect("read").len(), MAX_DEVICES);
    let told = told(&devices.add(device("build")).expect_err("too many"));
    assert!(told.contains("the most"), "{told}");
}
