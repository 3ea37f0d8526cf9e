//! The reader of OpenAiChat: streams and whole bodies.
#![no_main]

use fuzz::{accumulated, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use llm_wire_stub::Api;

fuzz_target!(|body: &[u8]| accumulated::check(Api::OpenAiChat, body));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::events(data, size, max_size, seed)
});
