//! What a message lists where nothing is served: every route, as it is pinned.
#![allow(dead_code, reason = "each test crate uses a part of it")]

/// Of OpenAI Chat, where no dialect was named.
pub(crate) const CHAT: &str = "POST /v1/chat/completions";

/// Of OpenAI Chat, in the order of its dialects.
pub(crate) const DIALECTS: &str = "POST /v1/chat/completions, POST /api/v1/chat/completions, \
     POST /openai/deployments/{name}/chat/completions, POST /chat/completions, POST /openai/v1/chat/completions";

/// Of OpenAI, besides calls of the model.
pub(crate) const OPENAI: &str = "GET /v1/models, GET /v1/models/{id}, POST /v1/embeddings, GET /v1/responses/{id}, \
     DELETE /v1/responses/{id}, GET /v1/responses/{id}/input_items, POST /v1/moderations (side roads of OpenAI)";

/// Of Anthropic, besides calls of the model.
const ANTHROPIC: &str = "POST /v1/messages/count_tokens, GET /v1/models, GET /v1/models/{id}, \
     POST /v1/messages/batches, GET /v1/messages/batches, GET /v1/messages/batches/{id}, \
     DELETE /v1/messages/batches/{id}, POST /v1/messages/batches/{id}/cancel, \
     GET /v1/messages/batches/{id}/results (side roads of Anthropic)";

/// Of a stub that serves every API.
pub(crate) fn everything() -> String {
    format!(
        "POST /v1/messages (anthropic_messages); {CHAT} (openai_chat); POST /v1/responses (openai_responses); \
         POST /v1/completions (openai_completions); {ANTHROPIC}; {OPENAI}"
    )
}
