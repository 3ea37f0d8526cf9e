//! A client of Chat as they are made by hand, on nothing but an HTTP client, with the flaws that one asks of it. Without
//! a flaw it loses nothing.

use std::{
    collections::BTreeMap,
    mem::{forget, take},
    time::Duration,
};

use futures_util::{Stream, StreamExt as _};
use llm_wire_stub::{bytes::Bytes, conformance::Transcript};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

/// What goes wrong in clients, each in words of the public reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Decodes each piece as UTF-8 on its own.
    DecodesEachPiece,
    /// Splits events at two line feeds only.
    SplitsAtLineFeeds,
    /// Knows a field of data by `data: `, with the space.
    WantsTheSpace,
    /// Takes the first of several lines of data.
    FirstLineOfData,
    /// Goes on behind an event that is no JSON.
    DropsWhatIsNoJson,
    /// Takes a proper end of the body for the end of the answer.
    EndIsSuccess,
    /// Takes a broken connection for the end of the answer.
    BreakIsSuccess,
    /// Has no case for an error inside the stream.
    IgnoresErrors,
    /// Reads the body whatever the status is.
    IgnoresStatus,
    /// Runs a call whose arguments are no JSON, with none.
    BrokenArgumentsAreNone,
    /// Runs a call that was cut by the limit on tokens.
    RunsCutCalls,
    /// Keeps one call at a time, whatever the index says.
    OneCallAtATime,
    /// Returns once it has a finish reason.
    StopsAtFinish,
    /// Any byte shows that the stream is alive.
    TimesBytes,
    /// Bounds the time to the head only.
    TimesTheHead,
    /// Gives up on a silent stream, and keeps it.
    KeepsTheStream,
    /// Asks again after a broken stream, and goes on writing into the same text.
    JoinsAttempts,
    /// Connects again when an event source would.
    Reconnects,
    /// Reads in a task of its own, which nobody stops.
    ReadsInTheBackground,
    /// Follows redirects, with every header.
    FollowsRedirects,
    /// Takes the seconds of `Retry-After` for milliseconds.
    SecondsAreMilliseconds,
}

#[derive(Clone, Debug)]
pub(crate) struct HandMade {
    flaws: Vec<Flaw>,
    limit: Duration,
    http: reqwest::Client,
}

/// What was read so far.
#[derive(Default)]
struct Read {
    text: String,
    /// Id, name and arguments.
    calls: BTreeMap<u64, (String, String, String)>,
    finish: Option<String>,
    usage: Option<(u64, u64)>,
}

/// Whether more is to come.
enum Next {
    Event,
    End,
}

impl HandMade {
    pub(crate) fn new(limit: Duration, flaws: &[Flaw]) -> Self {
        let redirects = if flaws.contains(&Flaw::FollowsRedirects) {
            reqwest::redirect::Policy::limited(3)
        } else {
            reqwest::redirect::Policy::none()
        };
        let http = reqwest::Client::builder().redirect(redirects);
        Self {
            flaws: flaws.to_vec(),
            limit,
            http: http.build().unwrap(),
        }
    }

    fn has(&self, flaw: Flaw) -> bool {
        self.flaws.contains(&flaw)
    }

    pub(crate) async fn ask(self, url: String) -> Result<Transcript, String> {
        if self.has(Flaw::ReadsInTheBackground) {
            let task = tokio::spawn(self.answer(url));
            return task.await.unwrap();
        }
        self.answer(url).await
    }

    async fn answer(self, url: String) -> Result<Transcript, String> {
        let mut read = Read::default();
        let again = self.attempt(&url, &mut read).await;
        match again {
            Ok(true) if self.has(Flaw::Reconnects) => {
                let _ = self.attempt(&url, &mut Read::default()).await;
            }
            Ok(_) => {}
            Err(_) if self.has(Flaw::JoinsAttempts) => {
                self.attempt(&url, &mut read).await?;
            }
            Err(error) => return Err(error),
        }
        self.transcript(read)
    }

    /// One request; whether the server asked for another one.
    async fn attempt(&self, url: &str, read: &mut Read) -> Result<bool, String> {
        let body = json!({
            "model": "m", "stream": true, "stream_options": {"include_usage": true},
            "messages": [{"role": "user", "content": "go"}],
        });
        let mut is_first = true;
        let response = loop {
            let request = self.http.post(format!("{url}/chat/completions"));
            let request = request.header("api-key", "key").json(&body).send();
            let timed = tokio::time::timeout(self.limit, request).await;
            let response = timed.map_err(text)?.map_err(text)?;
            let wait = response.headers().get("retry-after");
            let wait = wait.and_then(|wait| wait.to_str().ok()?.parse().ok());
            if response.status() != 429 || !is_first || self.has(Flaw::IgnoresStatus) {
                break response;
            }
            is_first = false;
            let wait = wait.unwrap_or(0);
            sleep(if self.has(Flaw::SecondsAreMilliseconds) {
                Duration::from_millis(wait)
            } else {
                Duration::from_secs(wait)
            })
            .await;
        };
        if response.status() != 200 && !self.has(Flaw::IgnoresStatus) {
            return Err(format!("status {}", response.status()));
        }
        self.read(response.bytes_stream(), read).await
    }

    async fn read(
        &self,
        pieces: impl Stream<Item = reqwest::Result<Bytes>> + 'static,
        read: &mut Read,
    ) -> Result<bool, String> {
        let mut pieces = Box::pin(pieces);
        let (mut waiting, mut has_retry) = (Vec::new(), false);
        let mut deadline = Instant::now() + self.limit;
        loop {
            let piece = if self.has(Flaw::TimesTheHead) {
                pieces.next().await
            } else {
                let Ok(piece) = timeout_at(deadline, pieces.next()).await else {
                    if self.has(Flaw::KeepsTheStream) {
                        forget(pieces);
                    }
                    return Err("nothing new".to_owned());
                };
                piece
            };
            let is_end = match piece {
                Some(Ok(piece)) if self.has(Flaw::DecodesEachPiece) => {
                    waiting.extend_from_slice(String::from_utf8_lossy(&piece).as_bytes());
                    false
                }
                Some(Ok(piece)) => {
                    waiting.extend_from_slice(&piece);
                    false
                }
                Some(Err(_)) if self.has(Flaw::BreakIsSuccess) => return Ok(has_retry),
                Some(Err(error)) => return Err(error.to_string()),
                None => true,
            };
            if self.has(Flaw::TimesBytes) {
                deadline = Instant::now() + self.limit;
            }
            for block in self.blocks(&mut waiting, is_end) {
                has_retry |= block.iter().any(|line| line.starts_with("retry:"));
                let Some(data) = self.data(&block) else {
                    continue;
                };
                deadline = Instant::now() + self.limit;
                if let Next::End = self.event(&data, read)? {
                    return Ok(has_retry);
                }
            }
            let is_whole = read.finish.is_some() || self.has(Flaw::EndIsSuccess);
            if is_end {
                return match is_whole {
                    true => Ok(has_retry),
                    false => Err("the stream ended too early".to_owned()),
                };
            }
        }
    }

    /// The lines of each whole event. What is left over stays.
    fn blocks(&self, waiting: &mut Vec<u8>, is_end: bool) -> Vec<Vec<String>> {
        let line = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
        let mut blocks = Vec::new();
        if self.has(Flaw::SplitsAtLineFeeds) {
            while let Some(at) = waiting.windows(2).position(|two| two == b"\n\n") {
                let block: Vec<u8> = waiting.drain(..at + 2).collect();
                blocks.push(block.split(|byte| *byte == b'\n').map(line).collect());
            }
            return blocks;
        }
        let (mut lines, mut used, mut at) = (Vec::new(), 0, 0);
        let mut start = if waiting.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        while let Some(length) = waiting[at..]
            .iter()
            .position(|b| matches!(b, b'\r' | b'\n'))
        {
            let end = at + length;
            // whether a line feed follows is not known yet
            if waiting[end] == b'\r' && end + 1 == waiting.len() && !is_end {
                break;
            }
            at = end
                + if waiting[end..].starts_with(b"\r\n") {
                    2
                } else {
                    1
                };
            if start == end {
                blocks.push(take(&mut lines));
                used = at;
            } else {
                lines.push(line(&waiting[start..end]));
            }
            start = at;
        }
        waiting.drain(..used);
        blocks
    }

    fn data(&self, block: &[String]) -> Option<String> {
        let data = block.iter().filter_map(|line| {
            if self.has(Flaw::WantsTheSpace) {
                return line.strip_prefix("data: ");
            }
            let data = line.strip_prefix("data:")?;
            Some(data.strip_prefix(' ').unwrap_or(data))
        });
        let lines: Vec<&str> = data.collect();
        let data = if self.has(Flaw::FirstLineOfData) {
            lines.first().copied().unwrap_or_default().to_owned()
        } else {
            lines.join("\n")
        };
        (!data.is_empty()).then_some(data)
    }

    fn event(&self, data: &str, read: &mut Read) -> Result<Next, String> {
        if data == "[DONE]" {
            return match read.finish.is_some() || self.has(Flaw::EndIsSuccess) {
                true => Ok(Next::End),
                false => Err("no finish reason".to_owned()),
            };
        }
        let chunk: Value = match serde_json::from_str(data) {
            Ok(chunk) => chunk,
            Err(_) if self.has(Flaw::DropsWhatIsNoJson) => return Ok(Next::Event),
            Err(error) => return Err(error.to_string()),
        };
        if !chunk.is_object() && !self.has(Flaw::DropsWhatIsNoJson) {
            return Err(format!("no chunk: {chunk}"));
        }
        if !chunk["error"].is_null() && !self.has(Flaw::IgnoresErrors) {
            return Err(chunk["error"].to_string());
        }
        if let Some(usage) = chunk["usage"].as_object() {
            let tokens = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or(0);
            read.usage = Some((tokens("prompt_tokens"), tokens("completion_tokens")));
        }
        let choice = &chunk["choices"][0];
        read.text += choice["delta"]["content"].as_str().unwrap_or_default();
        for call in choice["delta"]["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let id = call["id"].as_str().unwrap_or_default();
            let index = if self.has(Flaw::OneCallAtATime) {
                let opened = u64::try_from(read.calls.len()).unwrap();
                let is_new = !id.is_empty();
                opened + u64::from(is_new) - 1
            } else {
                call["index"].as_u64().unwrap_or(0)
            };
            let open = read.calls.entry(index).or_default();
            open.0 += id;
            open.1 += call["function"]["name"].as_str().unwrap_or_default();
            open.2 += call["function"]["arguments"].as_str().unwrap_or_default();
        }
        if let Some(finish) = choice["finish_reason"].as_str() {
            if finish == "error" && !self.has(Flaw::IgnoresErrors) {
                return Err("the model failed".to_owned());
            }
            read.finish = Some(finish.to_owned());
            if self.has(Flaw::StopsAtFinish) {
                return Ok(Next::End);
            }
        }
        Ok(Next::Event)
    }

    fn transcript(&self, read: Read) -> Result<Transcript, String> {
        let is_cut = read.finish.as_deref() == Some("length");
        if is_cut && !read.calls.is_empty() && !self.has(Flaw::RunsCutCalls) {
            return Err("a call was cut".to_owned());
        }
        let mut calls = Vec::new();
        for (id, name, arguments) in read.calls.into_values() {
            let arguments = if arguments.is_empty() {
                "{}"
            } else {
                &arguments
            };
            let arguments: Value = match serde_json::from_str(arguments) {
                Ok(arguments) => arguments,
                Err(_) if self.has(Flaw::BrokenArgumentsAreNone) => json!({}),
                Err(error) => return Err(error.to_string()),
            };
            calls.push((id, name, arguments));
        }
        let (input, output) = read.usage.unwrap_or((0, 0));
        Ok(Transcript::text(read.text)
            .tool_calls(calls)
            .stop_reason(read.finish)
            .usage(input, output))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn text(error: impl ToString) -> String {
    error.to_string()
}
