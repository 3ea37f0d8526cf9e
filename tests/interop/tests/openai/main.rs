//! OpenAI's own SDKs against stubs, on Chat Completions, on Responses, on text completions and on the side roads.
//!
//! Every claim is a function of the SDK, and a test for each of them: Python's two clients and TypeScript's. Where
//! the SDKs differ, the claim says what each does.

/// The claims of a file as tests, one for each SDK.
macro_rules! for_each_sdk {
    ($($claim:ident),+ $(,)?) => {
        for_each_sdk! { in python, Python; $($claim),+ }
        for_each_sdk! { in python_async, PythonAsync; $($claim),+ }
        for_each_sdk! { in typescript, TypeScript; $($claim),+ }
    };
    (in $module:ident, $sdk:ident; $($claim:ident),+) => {
        mod $module {
            $(
                #[test]
                fn $claim() {
                    super::$claim(llm_wire_stub_interop::Sdk::$sdk);
                }
            )+
        }
    };
}

mod answers;
mod completions;
mod dialects;
mod embeddings;
mod errors;
mod expected;
mod requests;
mod responses;
mod responses_errors;
mod side_roads;
