//! Embeddings: as numbers, as base64, of tokens.

use async_openai::types::embeddings::{
    CreateEmbeddingRequest, CreateEmbeddingResponse, EmbeddingInput, EncodingFormat,
};
use llm_wire_stub::StubHandle;

use super::{
    super::{EMBEDDING_MODEL, Embedded},
    Failure, client, failure,
};

fn request(input: EmbeddingInput) -> CreateEmbeddingRequest {
    CreateEmbeddingRequest {
        model: EMBEDDING_MODEL.to_owned(),
        input,
        encoding_format: None,
        user: None,
        dimensions: None,
    }
}

fn embedded(response: CreateEmbeddingResponse) -> Embedded {
    let data = response.data.into_iter().enumerate().map(|(n, one)| {
        assert_eq!(usize::try_from(one.index), Ok(n));
        assert_eq!(one.object, "embedding");
        one.embedding
    });
    assert_eq!(response.object, "list");
    assert_eq!(response.usage.total_tokens, response.usage.prompt_tokens);
    Embedded {
        vectors: data.collect(),
        model: Some(response.model),
        tokens: Some(response.usage.prompt_tokens.into()),
    }
}

pub(in crate::client) async fn embed(
    stub: &StubHandle,
    inputs: Vec<String>,
    dimensions: Option<u16>,
) -> Result<Embedded, Failure> {
    let request = CreateEmbeddingRequest {
        dimensions: dimensions.map(u32::from),
        ..request(EmbeddingInput::StringArray(inputs))
    };
    let response = client(stub).embeddings().create(request).await;
    response.map(embedded).map_err(|error| failure(&error))
}

/// One input, by way of base64.
pub(crate) async fn embed_as_base64(stub: &StubHandle, input: &str) -> Vec<f32> {
    let request = CreateEmbeddingRequest {
        encoding_format: Some(EncodingFormat::Base64),
        ..request(EmbeddingInput::String(input.to_owned()))
    };
    let response = client(stub).embeddings().create_base64(request).await;
    let mut data = response.expect("an answer").data;
    data.remove(0).embedding.into()
}

/// Inputs given as tokens.
pub(crate) async fn embed_tokens(stub: &StubHandle, inputs: Vec<Vec<u32>>) -> Embedded {
    let request = request(EmbeddingInput::ArrayOfIntegerArray(inputs));
    let response = client(stub).embeddings().create(request).await;
    embedded(response.expect("an answer"))
}
