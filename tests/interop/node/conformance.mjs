// Reads answers through the streaming helpers of an SDK, many at once, and prints what it read.
//
// One JSON object a line on stdin is a call, or drops one; one JSON object a line on stdout is what came of a call.
// Nothing is judged here: the tests compare.

import { createInterface } from "node:readline";

const [name] = process.argv.slice(1);
const { default: Client } = await import(name);
const { VERSION } = await import(`${name}/version`);
const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");

/** As a loop over tools reads them; a call without any has none. */
const parsed = (sent) => JSON.parse(sent || "{}");

const joined = (texts) => texts.map((text) => text ?? "").join("");

/** For each API the SDK's stream, and what is read of it in the end. */
const readers = {
  messages: {
    stream: (client, params) => client.messages.stream(params),
    async read(stream) {
      const { content, stop_reason, usage } = await stream.finalMessage();
      const of = (type) => content.filter((block) => block.type === type);
      return {
        text: joined(of("text").map((block) => block.text)),
        thinking: joined(of("thinking").map((block) => block.thinking)),
        tool_calls: of("tool_use").map(({ id, name, input }) => [id, name, input]),
        stop_reason,
        usage: [usage.input_tokens, usage.output_tokens],
      };
    },
  },
  chat: {
    stream: (client, params) => client.chat.completions.stream(params),
    async read(stream) {
      const { choices, usage } = await stream.finalChatCompletion();
      const { message, finish_reason } = choices[0];
      return {
        text: message.content ?? "",
        tool_calls: (message.tool_calls ?? []).map(({ id, function: f }) => [id, f.name, parsed(f.arguments)]),
        stop_reason: finish_reason,
        usage: usage ? [usage.prompt_tokens, usage.completion_tokens] : [0, 0],
      };
    },
  },
  responses: {
    stream: (client, params) => client.responses.stream(params),
    async read(stream) {
      const response = await stream.finalResponse();
      if (response.status === "failed") throw new Error(`the response failed: ${response.error?.message}`);
      const of = (type) => response.output.filter((item) => item.type === type);
      const { usage } = response;
      return {
        text: response.output_text,
        thinking: joined(of("reasoning").flatMap((item) => item.summary.map((part) => part.text))),
        tool_calls: of("function_call").map((call) => [call.call_id, call.name, parsed(call.arguments)]),
        stop_reason: response.status,
        usage: usage ? [usage.input_tokens, usage.output_tokens] : [0, 0],
      };
    },
  },
};

const running = new Map();

async function answer({ call, url, api, client, params }) {
  const { stream, read } = readers[api];
  const started = stream(new Client({ baseURL: url, maxRetries: 0, logLevel: "off", ...client }), params);
  running.set(call, started);
  try {
    say({ call, read: await read(started) });
  } catch (error) {
    say({ call, failed: `${error?.constructor?.name}: ${error?.message ?? error}` });
  }
  running.delete(call);
}

say({ sdk: VERSION });
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const call = JSON.parse(line);
  if ("drop" in call) running.get(call.drop)?.abort();
  else answer(call);
}
