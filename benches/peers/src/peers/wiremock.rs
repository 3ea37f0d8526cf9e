//! wiremock 0.6: whole bodies only, so no part in the streaming measurements.

use super::{Peer, Script, Server};
use futures_util::future::LocalBoxFuture;
use std::net::TcpListener;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

pub enum Wiremock {
    /// `MockServer::start`, which takes a server from wiremock's pool.
    Pooled,
    /// A server of its own, which is what `MockServer::builder` gives.
    Unpooled,
}

impl Peer for Wiremock {
    fn name(&self) -> &'static str {
        match self {
            Self::Pooled => "wiremock pooled",
            Self::Unpooled => "wiremock",
        }
    }

    fn start<'a>(&'a self, script: Script<'a>) -> LocalBoxFuture<'a, Box<dyn Server>> {
        Box::pin(async move {
            let server = match self {
                Self::Pooled => MockServer::start().await,
                Self::Unpooled => {
                    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
                    MockServer::builder().listener(listener).start().await
                }
            };
            match script {
                Script::Nothing => {}
                Script::Reply(reply) => {
                    let reply = reply.body.to_vec();
                    Mock::given(method("POST"))
                        .and(path("/v1/messages"))
                        .respond_with(
                            ResponseTemplate::new(200).set_body_raw(reply, "application/json"),
                        )
                        .mount(&server)
                        .await;
                }
                Script::Stream(_) => unreachable!("wiremock has no streams"),
            }
            Box::new(server) as Box<dyn Server>
        })
    }
}

impl Server for MockServer {
    fn url(&self) -> String {
        self.uri()
    }
}
