//! What the fuzz targets share. Each target is a file of `targets/`; what they check stands in `docs/fuzzing.md`.

pub mod accumulated;
pub mod answers;
pub mod drawn;
pub mod memory;
pub mod mutate;
pub mod naive_sse;
pub mod pieces;
pub mod resaid;
