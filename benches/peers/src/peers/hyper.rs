//! The yardstick: a hyper server that does nothing but yield ready frames, on a runtime of one worker.

use super::{Peer, Script, Server};
use crate::load::Head;
use bytes::Bytes;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::{self, Stream, StreamExt};
use http_body_util::{BodyExt, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Response, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, OnceLock};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

/// Who answers, and in which bytes around the same body.
pub enum Bare {
    /// In the same bytes as ours: its headers, and a chunked body.
    Same,
    /// In the same bytes as ours without noise.
    SamePlain,
    /// In as few bytes as it can: a content type, and a length where there is one.
    Shortest,
}

impl Peer for Bare {
    fn name(&self) -> &'static str {
        match self {
            Self::Same => "hyper",
            Self::SamePlain => "hyper plain",
            Self::Shortest => "hyper shortest",
        }
    }

    fn start<'a>(&'a self, script: Script<'a>) -> LocalBoxFuture<'a, Box<dyn Server>> {
        let server = match script {
            Script::Nothing => Hyper::whole(Bytes::new()),
            Script::Reply(reply) => match self {
                Self::Same => Hyper::chunked(&reply.head, reply.body.clone()),
                Self::SamePlain => Hyper::chunked(&reply.plain_head, reply.body.clone()),
                Self::Shortest => Hyper::whole(reply.body.clone()),
            },
            Script::Stream(stream) => match self {
                Self::Same | Self::SamePlain => Hyper::ready_behind(&stream.head, &stream.frames),
                Self::Shortest => Hyper::ready(&stream.frames),
            },
        };
        Box::pin(async { Box::new(server) as Box<dyn Server> })
    }
}

pub struct Hyper {
    address: SocketAddr,
    accepting: AbortHandle,
}

/// A new body for each request.
type Bodies = Arc<dyn Fn() -> UnsyncBoxBody<Bytes, Infallible> + Send + Sync>;

impl Hyper {
    pub fn whole(reply: Bytes) -> Self {
        let body = move || http_body_util::Full::new(reply.clone()).boxed_unsync();
        Self::serve(content_type("application/json"), Arc::new(body))
    }

    /// Answers with these headers, and the reply in one chunk.
    pub fn chunked(head: &Head, reply: Bytes) -> Self {
        let body = move || {
            let reply = reply.clone();
            StreamBody::new(stream::once(async { Ok(Frame::data(reply)) })).boxed_unsync()
        };
        Self::serve(headers(head), Arc::new(body))
    }

    pub fn ready(frames: &[Bytes]) -> Self {
        Self::frames(content_type("text/event-stream"), frames)
    }

    /// Behind these headers.
    pub fn ready_behind(head: &Head, frames: &[Bytes]) -> Self {
        Self::frames(headers(head), frames)
    }

    fn frames(head: HeaderMap, frames: &[Bytes]) -> Self {
        let frames: Arc<[Bytes]> = frames.into();
        Self::stream_behind(head, move || {
            let frames = frames.clone();
            stream::iter(0..frames.len()).map(move |index| frames[index].clone())
        })
    }

    /// Streams `count` frames, the same few again and again, so that they take no memory.
    pub fn cycling(frames: &[Bytes], count: usize) -> Self {
        let frames: Arc<[Bytes]> = frames.into();
        Self::stream(move || {
            let frames = frames.clone();
            stream::iter(0..count).map(move |index| frames[index % frames.len()].clone())
        })
    }

    /// Streams what `frames` makes for each request, a chunk for each frame.
    pub fn stream<S>(frames: impl Fn() -> S + Send + Sync + 'static) -> Self
    where
        S: Stream<Item = Bytes> + Send + 'static,
    {
        Self::stream_behind(content_type("text/event-stream"), frames)
    }

    fn stream_behind<S>(head: HeaderMap, frames: impl Fn() -> S + Send + Sync + 'static) -> Self
    where
        S: Stream<Item = Bytes> + Send + 'static,
    {
        let body = move || StreamBody::new(frames().map(|frame| Ok(Frame::data(frame))));
        Self::serve(head, Arc::new(move || body().boxed_unsync()))
    }

    fn serve(head: HeaderMap, bodies: Bodies) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener
            .local_addr()
            .expect("a bound listener has an address");
        listener
            .set_nonblocking(true)
            .expect("a listener can be made non-blocking");
        let runtime = runtime();
        let _context = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener).expect("the runtime has IO");
        let accepting = runtime.spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(answer(socket, head.clone(), bodies.clone()));
            }
        });
        let accepting = accepting.abort_handle();
        Self { address, accepting }
    }
}

impl Server for Hyper {
    fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Hyper {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn headers(head: &Head) -> HeaderMap {
    let headers = head.iter().map(|(name, value)| {
        let name: HeaderName = name.parse().expect("a header's name");
        (name, value.parse().expect("a header's value"))
    });
    headers.collect()
}

fn content_type(value: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(value))])
}

async fn answer(socket: TcpStream, head: HeaderMap, bodies: Bodies) {
    socket
        .set_nodelay(true)
        .expect("a new socket takes options");
    let service = service_fn(move |request: Request<Incoming>| {
        let (head, bodies) = (head.clone(), bodies.clone());
        async move {
            request.into_body().collect().await?;
            let mut response = Response::new(bodies());
            *response.headers_mut() = head;
            Ok::<_, hyper::Error>(response)
        }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(socket), service);
    // a client that leaves in the middle is an error here and the aim of some measurements
    let _ = connection.await;
}

/// One worker, as ours has.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).enable_all();
        builder.build().expect("a runtime starts")
    })
}
