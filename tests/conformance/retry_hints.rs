//! Hints that are longer than a suite on the real clock waits for: on a paused one, where the client's timers are moved.

use std::time::Duration;

use llm_wire_stub::*;

use super::{
    APIS,
    reference_client::{FOR_EVER, ReferenceClient},
};

#[tokio::test(start_paused = true)]
async fn the_reference_client_waits_as_long_as_a_retry_hint_says_and_asks_once_more() {
    const SECOND: Duration = Duration::from_secs(1);
    for api in APIS {
        for seconds in [1, 30, 3_600, 99_999] {
            let hint = Duration::from_secs(seconds);
            let stub = WireStub::builder()
                .clock(Clock::tokio())
                .turn(ApiError::rate_limited().retry_after(hint))
                .turn("Hé.")
                .start();
            let url = match api {
                Api::AnthropicMessages => stub.anthropic_url(),
                _ => stub.openai_url(),
            };
            let client = ReferenceClient::new(api, FOR_EVER);
            let call = tokio::spawn(async move { client.ask(url).await });

            stub.time_to_request(1).await;
            stub.advance(hint - SECOND).await;
            assert_eq!(
                stub.requests().len(),
                1,
                "{api:?}: it did not wait {hint:?}"
            );
            assert_eq!(stub.time_to_request(2).await, hint, "{api:?}");
            assert!(call.await.unwrap().is_ok(), "{api:?}: {hint:?}");
            stub.verify();
        }
    }
}
