// The calls of the OpenAI SDK on Responses: each fills `seen` as far as it comes. The driver has this text before its own.

import { makeParseableTextFormat } from "openai/lib/parser";

const bestText = makeParseableTextFormat(
  {
    type: "json_schema",
    name: "Best",
    strict: true,
    schema: {
      type: "object",
      properties: { best: { type: "integer" } },
      required: ["best"],
      additionalProperties: false,
    },
  },
  (text) => JSON.parse(text),
);

/** What the client's tools answer to the calls of a response. */
function outputsOf(response) {
  const calls = response.output.filter((item) => item.type === "function_call");
  return calls.map(({ call_id, arguments: sent }) => {
    const { city } = JSON.parse(sent);
    return { type: "function_call_output", call_id, output: `sunny in ${city}` };
  });
}

const responsesCalls = {
  async create(responses, call, seen) {
    const { data, response, request_id } = await responses.create(call.params).withResponse();
    const headers = Object.fromEntries(response.headers);
    Object.assign(seen, { response: data, text: data.output_text, request_id, headers });
  },

  async raw(responses, call, seen, told) {
    seen.events = [];
    const stream = await responses.create({ ...call.params, stream: true });
    for await (const event of stream) {
      seen.events.push(event);
      if (!call.leave || seen.left || event.type !== "response.output_text.delta") continue;
      seen.left = true;
      await told("first delta");
      if (call.leave === "break") break;
      stream.controller.abort();
    }
  },

  async helper(responses, call, seen) {
    seen.types = [];
    const stream = responses.stream(call.params);
    for await (const event of stream) seen.types.push(event.type);
    seen.response = await stream.finalResponse();
    seen.text = seen.response.output_text;
  },

  async parse(responses, call, seen) {
    const response = await responses.parse({ ...call.params, text: { format: bestText } });
    seen.parsed = response.output_parsed;
  },

  /** The loop as the SDK's users write it: all items go back. */
  async loop(responses, call, seen) {
    const history = [{ role: "user", content: call.params.input }];
    for (;;) {
      const response = await responses.create({ ...call.params, input: history });
      seen.text = response.output_text;
      const answers = outputsOf(response);
      if (answers.length === 0) return;
      history.push(...response.output, ...answers);
    }
  },

  /** The loop that goes on from the response before. */
  async chain(responses, call, seen) {
    let params = call.params;
    seen.ids = [];
    for (;;) {
      const response = await responses.create(params);
      seen.text = response.output_text;
      seen.ids.push(response.id);
      const answers = outputsOf(response);
      if (answers.length === 0) return;
      params = { ...params, input: answers, previous_response_id: response.id };
    }
  },

  /** A response, looked at again in every way, and then deleted. */
  async kept(responses, call, seen) {
    const made = await responses.create(call.params);
    seen.response = made;
    seen.again = await responses.retrieve(made.id);
    seen.items = [];
    const pages = responses.inputItems.list(made.id, { limit: 1, order: "asc" });
    for await (const item of pages) seen.items.push(item);
    seen.deleted = (await responses.delete(made.id)) ?? null;
    await responses.retrieve(made.id);
  },
};
