//! The test that users must be able to write, as they would write it: number 10 of ten.

use std::time::Duration;

use llm_wire_stub::{
    conformance::{self, Transcript, Verdict},
    *,
};

use super::reference_client::{ClientError, client};

#[tokio::test]
async fn our_client_never_loses_data_without_an_error() {
    let limit = Duration::from_millis(300);
    conformance::suite(Api::OpenAiChat)
        .idle_limit(limit)
        .skip(
            "split-utf8-scalar/in-arguments",
            "the client's tools take no arguments",
        )
        .pin("empty-body", Verdict::Loud)
        .run(move |base_url| async move {
            let reply = client(base_url).idle_limit(limit).stream("go").await?;
            Ok::<_, ClientError>(
                Transcript::text(reply.text)
                    .tool_calls(reply.calls)
                    .stop_reason(reply.finish)
                    .usage(reply.input, reply.output),
            )
        })
        .await
        .assert_clean();
}
