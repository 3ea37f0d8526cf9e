// Makes calls through the OpenAI SDK and prints what it observed; `openai_responses.mjs` stands before it.
//
// One JSON object a line on stdin is a call, one JSON object a line on stdout is what came of it. A call
// that has to be left in the middle prints a note first and waits for a line before it leaves. Nothing is
// judged here: the tests compare.

import { createInterface } from "node:readline";
import OpenAI from "openai";
import { makeParseableResponseFormat } from "openai/lib/parser";
import { VERSION } from "openai/version";

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity })[Symbol.asyncIterator]();
const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");

// what the SDK sleeps for before it tries again; it still sleeps, and Node's own timers are not its
let waits = [];
const { setTimeout } = globalThis;
globalThis.setTimeout = (run, ms, ...rest) => {
  const caller = new Error().stack.split("\n")[2];
  if (/openai\/internal\/utils\/sleep/.test(caller)) waits.push(ms / 1000);
  return setTimeout(run, ms, ...rest);
};

/** Says how far it is, and waits until it is told to go on. */
async function told(note) {
  say({ note });
  await lines.next();
}

function failure(error) {
  const cause = error?.cause;
  return {
    class: error?.constructor?.name,
    message: error?.message ?? String(error),
    status: error?.status,
    type: error?.type,
    code: error?.code,
    param: error?.param,
    request_id: error?.requestID,
    cause: cause && (cause.code ?? cause.constructor?.name),
  };
}

// --- the calls: each fills `seen` as far as it comes ---

async function create(completions, call, seen) {
  const { data, response, request_id } = await completions.create(call.params).withResponse();
  Object.assign(seen, { completion: data, request_id, headers: Object.fromEntries(response.headers) });
}

async function raw(completions, call, seen) {
  seen.chunks = [];
  const { data, response } = await completions.create({ ...call.params, stream: true }).withResponse();
  seen.headers = Object.fromEntries(response.headers);
  for await (const chunk of data) {
    seen.chunks.push(chunk);
    if (!call.leave || seen.left || !chunk.choices[0]?.delta.content) continue;
    seen.left = true;
    await told("first delta");
    if (call.leave === "break") break;
    data.controller.abort();
  }
}

async function helper(completions, call, seen) {
  seen.texts = [];
  const stream = completions.stream(call.params);
  stream.on("content", (text) => seen.texts.push(text));
  seen.completion = await stream.finalChatCompletion();
}

const best = makeParseableResponseFormat(
  {
    type: "json_schema",
    json_schema: {
      name: "Best",
      strict: true,
      schema: {
        type: "object",
        properties: { best: { type: "integer" } },
        required: ["best"],
        additionalProperties: false,
      },
    },
  },
  (text) => JSON.parse(text),
);

async function parse(completions, call, seen) {
  const completion = await completions.parse({ ...call.params, response_format: best });
  const { message } = completion.choices[0];
  Object.assign(seen, { parsed: message.parsed, refusal: message.refusal });
}

/** The loop as the SDK's users write it. */
async function toolLoop(completions, call, seen) {
  const history = [...call.params.messages];
  for (;;) {
    const answer = await completions.create({ ...call.params, messages: history });
    seen.completion = answer;
    const [{ message, finish_reason }] = answer.choices;
    if (finish_reason !== "tool_calls") return;
    history.push(message);
    for (const made of message.tool_calls) {
      const { city } = JSON.parse(made.function.arguments);
      history.push({ role: "tool", tool_call_id: made.id, content: `sunny in ${city}` });
    }
  }
}

/** A method of a resource by its path, such as `models.list`, and every item of what it streams. */
async function resource(client, call, seen) {
  const path = call.method.split(".");
  const name = path.pop();
  const parent = path.reduce((object, key) => object[key], client);
  const params = Object.keys(call.params).length ? [call.params] : [];
  const answer = await parent[name](...call.ids, ...params);
  if (!call.params.stream) {
    seen.answer = answer;
    return;
  }
  seen.chunks = [];
  for await (const chunk of answer) seen.chunks.push(chunk);
}

const calls = { create, raw, helper, parse, loop: toolLoop };

/** The call as often as it is asked for, all with one client. */
async function runsOf(call) {
  const client = new OpenAI({
    apiKey: call.client.key,
    baseURL: call.url,
    maxRetries: call.max_retries,
    logLevel: "off",
  });
  const runs = [];
  for (let n = 0; n < call.times; n += 1) {
    const seen = {};
    waits = [];
    try {
      if (call.api === "any") await resource(client, call, seen);
      else if (call.api === "responses") await responsesCalls[call.do](client.responses, call, seen, told);
      else await calls[call.do](client.chat.completions, call, seen);
    } catch (error) {
      seen.error = failure(error);
    }
    seen.waits = waits;
    runs.push(seen);
  }
  return runs;
}

say({ sdk: VERSION });
for (let line = await lines.next(); !line.done; line = await lines.next()) {
  try {
    say({ runs: await runsOf(JSON.parse(line.value)) });
  } catch (error) {
    say({ broken: error.stack });
  }
}
