//! No circle of files or of modules: a reader of one needs those below it and never comes back.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;

use super::facts::{TargetFacts, facts};
use super::uses::Arrows;

#[test]
fn no_files_of_a_crate_use_each_other_in_a_circle() {
    let report = report_circles(|target| (target.paths.clone(), target.arrows.clone()));
    assert!(report.is_empty(), "circles of files:\n{report}");
}

/// A module at the top of a crate with all of its files is one room. Circles of files alone do not show
/// whether two rooms need each other: a type in a file of its own hides that.
#[test]
fn no_modules_of_a_crate_use_each_other_in_a_circle() {
    let report = report_circles(|target| {
        let (names, rooms) = &target.rooms;
        (names.clone(), merged(&target.arrows, rooms))
    });
    assert!(report.is_empty(), "circles of modules:\n{report}");
}

/// The circles in every crate, between what `view` makes of its files.
fn report_circles(view: impl Fn(&TargetFacts) -> (Vec<String>, Arrows)) -> String {
    let mut report = String::new();
    for target in facts() {
        let (names, arrows) = view(target);
        for circle in circles(names.len(), &arrows) {
            describe(&circle, &names, &arrows, &mut report);
        }
    }
    report
}

/// The arrows between rooms: those of their files, without the ones that stay inside.
fn merged(arrows: &Arrows, rooms: &[usize]) -> Arrows {
    let mut merged = Arrows::new();
    for (from, to) in arrows {
        for (file, names) in to {
            if rooms[*from] != rooms[*file] {
                let to = merged.entry(rooms[*from]).or_default();
                let known = to.entry(rooms[*file]).or_default();
                known.extend(names.iter().cloned());
            }
        }
    }
    merged
}

/// The nodes that reach each other, as one set for each circle or knot of circles.
fn circles(count: usize, arrows: &Arrows) -> Vec<BTreeSet<usize>> {
    let reachable: Vec<BTreeSet<usize>> = (0..count).map(|file| reach(file, arrows)).collect();
    let mut found: Vec<BTreeSet<usize>> = Vec::new();
    for file in 0..count {
        let back = |other: &&usize| reachable[**other].contains(&file);
        let circle: BTreeSet<usize> = reachable[file].iter().filter(back).copied().collect();
        if circle.len() > 1 && !found.contains(&circle) {
            found.push(circle);
        }
    }
    found
}

/// What a file uses, directly and through others.
fn reach(file: usize, arrows: &Arrows) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut next = vec![file];
    while let Some(file) = next.pop() {
        for used in arrows.get(&file).into_iter().flat_map(|to| to.keys()) {
            if found.insert(*used) {
                next.push(*used);
            }
        }
    }
    found
}

/// One shortest way around, and the names that it goes by.
fn describe(circle: &BTreeSet<usize>, all: &[String], arrows: &Arrows, report: &mut String) {
    writeln!(report, "a circle of {}, for example", circle.len()).unwrap();
    let way = circle.iter().map(|file| way_around(*file, circle, arrows));
    let way = way.min_by_key(Vec::len).unwrap();
    for (from, to) in way.iter().zip(way.iter().cycle().skip(1)) {
        let names: Vec<&str> = arrows[from][to].iter().map(String::as_str).collect();
        let names = names.join(", ");
        writeln!(report, "  {} uses {names} of {}", all[*from], all[*to]).unwrap();
    }
}

fn way_around(start: usize, circle: &BTreeSet<usize>, arrows: &Arrows) -> Vec<usize> {
    let mut ways = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in arrows[way.last().unwrap()].keys() {
            if *next == start {
                return way;
            }
            if circle.contains(next) && seen.insert(*next) {
                ways.push_back([&way[..], &[*next]].concat());
            }
        }
    }
    unreachable!("the files of a circle reach each other")
}

#[test]
fn the_search_for_circles_finds_one() {
    let arrow = |to: usize| (to, BTreeSet::from(["name".to_owned()]));
    let mut arrows = Arrows::new();
    arrows.insert(0, [arrow(1), arrow(3)].into());
    arrows.insert(1, [arrow(2)].into());
    arrows.insert(2, [arrow(1), arrow(3)].into());
    assert_eq!(circles(4, &arrows), [BTreeSet::from([1, 2])]);
    assert_eq!(way_around(1, &BTreeSet::from([1, 2]), &arrows), [1, 2]);
}
