//! httpmock 0.9: pooled by default, whole bodies only.

use super::{Peer, Script, Server};
use futures_util::future::LocalBoxFuture;
use httpmock::{Method::POST, MockServer};

pub struct Httpmock;

impl Peer for Httpmock {
    fn name(&self) -> &'static str {
        "httpmock"
    }

    fn start<'a>(&'a self, script: Script<'a>) -> LocalBoxFuture<'a, Box<dyn Server>> {
        Box::pin(async move {
            let server = MockServer::start_async().await;
            match script {
                Script::Nothing => {}
                Script::Reply(reply) => {
                    let mock = server.mock_async(|when, then| {
                        when.method(POST).path("/v1/messages");
                        then.status(200)
                            .header("content-type", "application/json")
                            .body(&reply.body);
                    });
                    mock.await;
                }
                Script::Stream(_) => unreachable!("httpmock has no streams"),
            }
            Box::new(server) as Box<dyn Server>
        })
    }
}

impl Server for MockServer {
    fn url(&self) -> String {
        self.base_url()
    }
}
