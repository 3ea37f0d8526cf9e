//! mockito 1: pooled by default; a chunked body is written by a closure on a thread of its own. Every
//! answer says `connection: close`, so it has no warm exchange: each one connects anew.

use super::{Peer, Script, Server};
use futures_util::future::LocalBoxFuture;
use mockito::{Mock, ServerGuard};

pub struct Mockito;

struct Running {
    server: ServerGuard,
    _mock: Option<Mock>,
}

impl Peer for Mockito {
    fn name(&self) -> &'static str {
        "mockito"
    }

    fn start<'a>(&'a self, script: Script<'a>) -> LocalBoxFuture<'a, Box<dyn Server>> {
        Box::pin(async move {
            let mut server = mockito::Server::new_async().await;
            let mock = match script {
                Script::Nothing => None,
                Script::Reply(reply) => {
                    let mock = server
                        .mock("POST", "/v1/messages")
                        .with_header("content-type", "application/json")
                        .with_body(&reply.body);
                    Some(mock.create_async().await)
                }
                Script::Stream(stream) => {
                    let frames = stream.frames.clone();
                    let mock = server
                        .mock("POST", "/v1/messages")
                        .with_header("content-type", "text/event-stream")
                        .with_chunked_body(move |body| {
                            frames.iter().try_for_each(|frame| body.write_all(frame))
                        });
                    Some(mock.create_async().await)
                }
            };
            let running = Running {
                server,
                _mock: mock,
            };
            Box::new(running) as Box<dyn Server>
        })
    }
}

impl Server for Running {
    fn url(&self) -> String {
        self.server.url()
    }
}
