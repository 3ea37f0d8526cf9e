//! Out: the machine and the versions that the figures belong to.

use std::fs::read_to_string;
use std::process::Command;

/// The versions of this run.
pub const LOCK: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock"));
const CRATES: [&str; 7] = [
    "hyper",
    "hyper-util",
    "tokio",
    "reqwest",
    "wiremock",
    "httpmock",
    "mockito",
];

pub fn line() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let versions: Vec<String> = CRATES.iter().map(|name| locked(name)).collect();
    format!(
        "{cores} cores ({}), Linux {}, load {} at the end, {}; {}",
        processor(),
        kernel(),
        load(),
        rustc(),
        versions.join(", "),
    )
}

fn processor() -> String {
    let info = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let model = model.map(|rest| rest.trim_start_matches([' ', '\t', ':']).to_owned());
    model.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The version alone: a distribution's suffix says nothing about the figures.
fn kernel() -> String {
    let release = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    release
        .trim()
        .split('-')
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn load() -> String {
    let load = read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}

fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    text.split(" (")
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned()
}

fn locked(name: &str) -> String {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let version = LOCK
        .split_once(&entry)
        .and_then(|(_, rest)| rest.split('"').next());
    format!("{name} {}", version.unwrap_or("?"))
}
