//! The batches of a stub, from their creation to their end.
//!
//! ```text
//! create ─► in_progress ─ get ─► ended ─► results, delete
//!                └─ cancel ─► canceling ─ get ─┘
//! ```
//!
//! Members and their order are known from public reports, ids and times from traffic; the times themselves are
//! made up: batches are created a second apart, canceled after half a minute, ended after a minute. That a
//! batch must have ended to be deleted, and must not to be canceled, is documented; the texts of these
//! errors are this crate's own.

use super::{
    super::purpose,
    AnthropicRoad, Draft,
    batch::{BatchScript, Entry, Fate},
    page::{Item, page},
};
use crate::{
    api::{
        Ids,
        side_roads::{Members, Query, Said},
    },
    request::RecordedRequest,
    script::{ApiError, ErrorKind},
    small_map::SmallMap,
};

/// The batches of a stub.
#[derive(Default)]
pub(crate) struct Batches {
    /// So many were begun.
    begun: usize,
    /// With their numbers, in the order of these.
    kept: Vec<(usize, Batch)>,
    /// The custom ids that a result is scripted for and that came.
    came: SmallMap<String, ()>,
}

struct Batch {
    id: String,
    entries: Vec<Entry>,
    status: Status,
    /// So many times it will still be seen in progress.
    polls: usize,
    is_canceled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    InProgress,
    Canceling,
    Ended,
}

impl Batches {
    /// The number of the next batch, from 0.
    pub(crate) fn begin(&mut self) -> usize {
        self.begun += 1;
        self.begun - 1
    }

    /// Creates the batch with this number.
    pub(crate) fn create(&mut self, number: usize, draft: Draft, script: &BatchScript) -> Said {
        for entry in &draft.entries {
            if script.results.get(&entry.custom_id).is_some() {
                self.came.insert(entry.custom_id.clone(), ());
            }
        }
        let batch = Batch {
            id: Ids::new(draft.seed, purpose::BATCH).base58("msgbatch_01", 22),
            entries: draft.entries,
            status: Status::InProgress,
            polls: script.polls,
            is_canceled: false,
        };
        let body = batch.write(number, "");
        // two that are begun at once may be created the other way round
        let at = self.kept.partition_point(|(known, _)| *known < number);
        self.kept.insert(at, (number, batch));
        Said::json("the new batch", body)
    }

    /// Answers what is asked of the batches that there are; `base_url` is where their results are.
    pub(crate) fn answer(
        &mut self,
        road: AnthropicRoad,
        request: &RecordedRequest,
        base_url: &str,
    ) -> Said {
        if road == AnthropicRoad::ListBatches {
            return self.list(&Query::new(request.query()), base_url);
        }
        let id = road.id(request);
        let mut kept = self.kept.iter_mut();
        let Some((number, batch)) = kept.find(|(_, batch)| batch.id == id) else {
            let message = format!("there is no message batch with the id `{id}`");
            let error = ApiError::new(ErrorKind::NotFound).message(message);
            return Said::error("404: no such batch", error);
        };
        let number = *number;
        match road {
            AnthropicRoad::CancelBatch => batch.cancel(number, base_url),
            AnthropicRoad::BatchResults => batch.results(),
            AnthropicRoad::DeleteBatch => match batch.refuse_delete() {
                Some(refused) => refused,
                None => {
                    self.kept.retain(|(known, _)| *known != number);
                    let deleted = Members::new().text("id", &id);
                    let deleted = deleted.text("type", "message_batch_deleted").end();
                    Said::json("the deleted batch", deleted)
                }
            },
            AnthropicRoad::GetBatch
            | AnthropicRoad::ListBatches
            | AnthropicRoad::CreateBatch
            | AnthropicRoad::CountTokens
            | AnthropicRoad::ListModels
            | AnthropicRoad::GetModel => {
                batch.poll();
                Said::json("the batch", batch.write(number, base_url))
            }
        }
    }

    /// The most recent one first; a list is no poll.
    fn list(&self, query: &Query, base_url: &str) -> Said {
        let items = self.kept.iter().rev().map(|(number, batch)| Item {
            id: batch.id.clone(),
            json: batch.write(*number, base_url),
        });
        match page(&items.collect::<Vec<_>>(), query) {
            Ok(body) => Said::json("the batch list", body),
            Err(error) => Said::error("400: no such page of batches", error),
        }
    }

    /// The custom ids that a result is scripted for and that never came.
    pub(crate) fn never_came<'a>(
        &'a self,
        script: &'a BatchScript,
    ) -> impl Iterator<Item = &'a str> {
        let ids = script.results.iter().map(|(id, _)| id.as_str());
        ids.filter(|id| self.came.get(*id).is_none())
    }
}

impl Batch {
    /// One look at it brings it nearer to its end.
    fn poll(&mut self) {
        if self.polls > 0 {
            self.polls -= 1;
            return;
        }
        if self.status == Status::Canceling {
            self.entries.iter_mut().for_each(Entry::cancel);
        }
        self.status = Status::Ended;
    }

    fn cancel(&mut self, number: usize, base_url: &str) -> Said {
        if self.status == Status::Ended {
            let why = "it has ended, and only a batch in progress can be canceled";
            return self.refuse("400: the batch has ended", why);
        }
        self.status = Status::Canceling;
        self.is_canceled = true;
        Said::json("the canceled batch", self.write(number, base_url))
    }

    fn results(&self) -> Said {
        if self.status != Status::Ended {
            let why = "it has no results before it has ended";
            return self.refuse("400: the batch has not ended", why);
        }
        let lines: Vec<u8> = self
            .entries
            .iter()
            .flat_map(|entry| &entry.line)
            .copied()
            .collect();
        Said::lines("the batch's results", lines)
    }

    fn refuse_delete(&self) -> Option<Said> {
        let why = "only a batch that has ended can be deleted; cancel it first";
        (self.status != Status::Ended).then(|| self.refuse("400: the batch has not ended", why))
    }

    fn refuse(&self, by: &'static str, why: &str) -> Said {
        let message = format!("message batch `{}`: {why}", self.id);
        Said::error(by, ApiError::invalid_request(message))
    }

    fn write(&self, number: usize, base_url: &str) -> Vec<u8> {
        let has_ended = self.status == Status::Ended;
        let created = number % 3600;
        let time = |is_set: bool, day, second| is_set.then(|| time(day, second));
        let status = match self.status {
            Status::InProgress => "in_progress",
            Status::Canceling => "canceling",
            Status::Ended => "ended",
        };
        let url = format!("{base_url}/v1/messages/batches/{}/results", self.id);
        Members::new()
            .text("id", &self.id)
            .text("type", "message_batch")
            .text("processing_status", status)
            .raw("request_counts", &self.counts())
            .text_or_null("ended_at", time(has_ended, 19, created + 60).as_deref())
            .text_or_null("created_at", time(true, 19, created).as_deref())
            .text_or_null("expires_at", time(true, 20, created).as_deref())
            .text_or_null("archived_at", None)
            .text_or_null(
                "cancel_initiated_at",
                time(self.is_canceled, 19, created + 30).as_deref(),
            )
            .text_or_null("results_url", has_ended.then_some(url.as_str()))
            .end()
    }

    /// Everything is processing until the batch has ended.
    fn counts(&self) -> Vec<u8> {
        let has_ended = self.status == Status::Ended;
        let of = |fate| match has_ended {
            true => self
                .entries
                .iter()
                .filter(|entry| entry.fate == fate)
                .count(),
            false => 0,
        };
        let processing = if has_ended { 0 } else { self.entries.len() };
        Members::new()
            .number("processing", processing)
            .number("succeeded", of(Fate::Succeeded))
            .number("errored", of(Fate::Errored))
            .number("canceled", of(Fate::Canceled))
            .number("expired", of(Fate::Expired))
            .end()
    }
}

/// So many seconds after the time at which all answers are dated, on this day of August 2026.
fn time(day: u8, seconds: usize) -> String {
    let second = (14 * 60 + 34) * 60 + 12 + seconds;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("2026-08-{day:02}T{hour:02}:{minute:02}:{second:02}.250000+00:00")
}
