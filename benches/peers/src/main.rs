//! Measures llm-wire-stub beside a bare hyper server, wiremock, httpmock and mockito, and prints a table
//! with the targets. How to run it is told in `benches/README.md`, where `--write` puts the table.

mod child;
mod client;
mod facts;
mod figures;
mod load;
mod measure;
mod peers;
mod table;

use measure::Measurement;
use std::path::Path;
use std::time::Instant;

const PROFILE: &str = if cfg!(debug_assertions) {
    "dev"
} else {
    "release"
};
const USAGE: &str = "arguments: [--write] [--build] [--rounds N] [--only NAME]
  --write     put the rows into the section of this profile in benches/README.md
  --build     measure clean debug builds, and nothing else (minutes)
  --rounds N  instead of 7 (3 with --build)
  --only NAME measure one thing; not with --write";

fn main() {
    let entered = Instant::now();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [child::FLAG, "first", peer, length, head] => {
            measure::first_exchange(entered, peer, length, head)
        }
        [child::FLAG, "warm", rounds] => measure::warm_rounds(rounds),
        [child::FLAG, "held", peer] => measure::held_server(peer),
        [child::FLAG, "held-client", url] => measure::held_client(url),
        [child::FLAG, "long", peer, words] => measure::long_server(peer, words),
        [child::FLAG, "long-client", url] => measure::long_client(url),
        _ => match Options::parse(&arguments) {
            Some(options) => run(&options),
            None => eprintln!("{USAGE}"),
        },
    }
}

#[derive(Default)]
struct Options {
    write: bool,
    build: bool,
    rounds: Option<usize>,
    only: Option<String>,
}

impl Options {
    fn parse(arguments: &[&str]) -> Option<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match *argument {
                "--write" => options.write = true,
                "--build" => options.build = true,
                "--rounds" => options.rounds = Some(arguments.next()?.parse().ok()?),
                "--only" => options.only = Some((*arguments.next()?).to_owned()),
                _ => return None,
            }
        }
        let whole = options.only.is_none() || !options.write;
        (whole && options.rounds != Some(0)).then_some(options)
    }

    fn chosen(&self) -> Vec<Measurement> {
        if self.build {
            return vec![measure::BUILD];
        }
        let is_chosen = |name: &str| self.only.as_deref().is_none_or(|only| only == name);
        let all = measure::ALL.into_iter();
        all.filter(|measurement| is_chosen(measurement.name))
            .collect()
    }
}

fn run(options: &Options) {
    let rounds = options.rounds.unwrap_or(if options.build { 3 } else { 7 });
    let chosen = options.chosen();
    if chosen.is_empty() {
        let names = measure::ALL.map(|measurement| measurement.name);
        eprintln!("measurements: {}", names.join(", "));
        return;
    }
    let mut rows = Vec::new();
    for measurement in chosen {
        eprintln!("measuring: {}", measurement.name);
        // a runtime for each, so that what one leaves behind cannot slow down the next
        rows.extend(child::current_thread().block_on((measurement.run)(rounds)));
    }
    let facts = facts::line();
    println!("{PROFILE} profile: {facts}\n\n{}", table::markdown(&rows));
    println!(
        "{} of {} rows miss their target",
        rows.iter().filter(|row| row.missed()).count(),
        rows.len()
    );
    if options.write {
        let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
        let kind = if options.build {
            "clean builds"
        } else {
            "measured"
        };
        table::write_section(&readme, PROFILE, kind, &facts, &rows);
    }
}
