//! Recorded traffic, which lies beside the repository and is never copied into it.

use std::{fs, path::PathBuf};

/// Name and bytes of the captures of a folder with this beginning and end, in order; none where there are no
/// captures.
#[expect(
    clippy::print_stderr,
    reason = "a test that has nothing to look at must say so"
)]
pub(crate) fn captures(folder: &str, prefix: &str, suffix: &str) -> Vec<(String, Vec<u8>)> {
    let captures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/captures");
    let folder = captures.join(folder);
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!(
            "NO CAPTURES, NOTHING TESTED: there is no {}",
            folder.display()
        );
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path))
        .filter(|(name, _)| name.starts_with(prefix) && name.ends_with(suffix))
        .filter(|(name, _)| !name.ends_with(".meta.json"))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect();
    assert!(
        !files.is_empty(),
        "no {prefix}*{suffix} in {}",
        folder.display()
    );
    files.sort();
    files
}
