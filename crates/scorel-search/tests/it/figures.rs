//! How fast the index is made and answers, and how large it is.
//!
//! `SCOREL_SEARCH_SESSIONS` and `SCOREL_SEARCH_MIB` say how much there is to search: 10000 and 5000 for the
//! figures of the manual. A normal run is small and only shows that they can be measured.

use std::fs;
use std::time::{Duration, Instant};

use scorel_proto::{ProjectId, Role};
use scorel_testkit::{SeededDice, runs};

use crate::search_home::{SearchHome, everything};

/// How much of a log is what tools wrote, in percent of its records.
const TOOLS: u64 = 40;

const QUERIES: [&str; 8] = [
    "the",
    "parser",
    "parser index",
    "\"last byte\"",
    "pars*",
    "the -parser",
    "解析",
    "nowhere",
];

#[test]
fn the_newest_hits_come_at_once() {
    let sessions = runs("SCOREL_SEARCH_SESSIONS", 20);
    let mib = runs("SCOREL_SEARCH_MIB", 4);
    let mut dice = SeededDice::from_seed(7);
    let home = SearchHome::new();
    let vocabulary = vocabulary(&mut dice);
    let (mut log_bytes, mut text_bytes) = (0, 0);
    for number in 0..sessions {
        let mut log = home.log(ProjectId::generate());
        let mut ts = 1_785_542_400_000 + number as u64 * 60_000;
        let mut bytes = 0;
        while bytes < mib * 1024 * 1024 / sessions {
            let is_tool = dice.chance(TOOLS);
            let words = if is_tool { 100..900 } else { 10..250 };
            let text = prose(&vocabulary, dice.index(words), &mut dice);
            let role = if is_tool {
                Role::ToolResult
            } else {
                Role::Assistant
            };
            ts += 500;
            log.say(role, &text, ts);
            bytes += text.len() + 300;
            text_bytes += if is_tool { 0 } else { text.len() };
        }
        log_bytes += fs::metadata(home.log_path(log.id)).unwrap().len();
    }
    let began = Instant::now();
    home.index.start().unwrap();
    while home.index.behind_bytes() > 0 {
        // Not a busy loop: it would take the processor from the indexing thread.
        std::thread::park_timeout(Duration::from_millis(50));
    }
    let took = began.elapsed();
    let index_bytes = fs::metadata(home.file()).unwrap().len();
    println!(
        "{sessions} sessions, {} MiB of logs, {} MiB of it text: indexed in {:.1} s, {:.1} MiB/s of \
         logs; index {} MiB, {:.2} of the text",
        log_bytes >> 20,
        text_bytes >> 20,
        took.as_secs_f64(),
        log_bytes as f64 / took.as_secs_f64() / 1_048_576.0,
        index_bytes >> 20,
        index_bytes as f64 / text_bytes as f64,
    );
    let filter = scorel_search::SearchFilter {
        limit: 50,
        ..everything()
    };
    for query in QUERIES {
        let mut times: Vec<Duration> = (0..40)
            .map(|_| {
                let began = Instant::now();
                home.index.words(query, &filter).unwrap();
                began.elapsed()
            })
            .collect();
        times.sort();
        let hits = home.index.words(query, &filter).unwrap().hits.len();
        println!(
            "{query}: {hits} hits, median {:?}, p95 {:?}",
            times[20], times[38]
        );
    }
}

/// Words of which few are frequent.
fn vocabulary(dice: &mut SeededDice) -> Vec<String> {
    let mut words: Vec<String> = [
        "the",
        "last",
        "byte",
        "parser",
        "index",
        "解析器",
        "parsing",
    ]
    .map(str::to_owned)
    .into();
    for _ in 0..30_000 {
        let len = dice.index(3..11);
        words.push(dice.text(len).replace(' ', "e"));
    }
    words
}

fn prose(vocabulary: &[String], words: usize, dice: &mut SeededDice) -> String {
    let mut text = String::new();
    for _ in 0..words {
        // The product of three is small most of the time.
        let unit = |dice: &mut SeededDice| dice.roll(0..1_000) as f64 / 1_000.0;
        let place = unit(dice) * unit(dice) * unit(dice) * vocabulary.len() as f64;
        text.push_str(&vocabulary[place as usize]);
        text.push(if dice.chance(10) { '\n' } else { ' ' });
    }
    text
}
