// Makes calls through the Anthropic SDK and prints what it observed.
//
// One JSON object a line on stdin is a call, one JSON object a line on stdout is what came of it. A call
// that has to be left in the middle prints a note first and waits for a line before it leaves. Nothing is
// judged here: the tests compare.

import { createInterface } from "node:readline";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { VERSION } from "@anthropic-ai/sdk/version";

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity })[Symbol.asyncIterator]();
const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");

// what the SDK sleeps for before it tries again; it still sleeps, and Node's own timers are not its
let waits = [];
const { setTimeout } = globalThis;
globalThis.setTimeout = (run, ms, ...rest) => {
  const caller = new Error().stack.split("\n")[2];
  if (/@anthropic-ai\/sdk\/internal\/utils\/sleep/.test(caller)) waits.push(ms / 1000);
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
    api_message: error?.apiMessage,
    request_id: error?.requestID,
    cause: cause && (cause.code ?? cause.constructor?.name),
  };
}

// --- the calls: each fills `seen` as far as it comes ---

async function create(messages, call, seen, options) {
  const { data, response, request_id } = await messages.create(call.params, options).withResponse();
  Object.assign(seen, { message: data, request_id, headers: Object.fromEntries(response.headers) });
}

async function helper(messages, call, seen, options, controller) {
  Object.assign(seen, { events: [], texts: [], inputs: [], thoughts: [], signatures: [], citations: [] });
  const stream = messages.stream(call.params, options);
  stream.on("text", (text) => seen.texts.push(text));
  stream.on("inputJson", (text) => seen.inputs.push(text));
  stream.on("thinking", (text) => seen.thoughts.push(text));
  stream.on("signature", (signature) => seen.signatures.push(signature));
  stream.on("citation", (citation) => seen.citations.push(citation));
  for await (const event of stream) {
    seen.events.push(event.type);
    if (event.type === "content_block_delta" && (await leave(call, seen, controller, stream))) break;
  }
  seen.request_id = stream.request_id;
  if (call.leave !== "break") seen.message = await stream.finalMessage();
}

async function raw(messages, call, seen, options, controller) {
  seen.events = [];
  const { data, response } = await messages.create({ ...call.params, stream: true }, options).withResponse();
  seen.headers = Object.fromEntries(response.headers);
  for await (const event of data) {
    seen.events.push(event);
    if (event.type === "content_block_delta" && (await leave(call, seen, controller, data))) break;
  }
}

/** At the first delta of a call that is left there; whether the loop is left too. */
async function leave(call, seen, controller, stream) {
  if (!call.leave || seen.left) return false;
  seen.left = true;
  await told("first delta");
  if (call.leave === "signal") controller.abort();
  if (call.leave === "abort") (stream.controller ?? stream).abort();
  return call.leave === "break";
}

/** The loop as the SDK's users write it. */
async function toolLoop(messages, call, seen) {
  seen.texts = [];
  const history = [...call.params.messages];
  for (;;) {
    const params = { ...call.params, messages: history };
    const answer = await (call.stream ? messages.stream(params).finalMessage() : messages.create(params));
    seen.texts.push(...answer.content.filter((block) => block.type === "text").map((block) => block.text));
    seen.message = answer;
    if (!["tool_use", "pause_turn"].includes(answer.stop_reason)) return;
    history.push({ role: "assistant", content: answer.content });
    const calls = answer.content.filter((block) => block.type === "tool_use");
    if (calls.length) history.push({ role: "user", content: calls.map(toolResult) });
  }
}

function toolResult(block) {
  const result = { type: "tool_result", tool_use_id: block.id };
  try {
    return { ...result, content: weather(block.input.city) };
  } catch (error) {
    return { ...result, content: error.message, is_error: true };
  }
}

function weather(city) {
  if (city === "Atlantis") throw new Error("no such city");
  return `sunny in ${city}`;
}

/** The loop that the SDK runs. */
async function toolRunner(messages, call, seen) {
  const tool = betaTool({
    name: "weather",
    description: "The weather in a city.",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    run: ({ city }) => weather(city),
  });
  seen.texts = [];
  const runner = messages.toolRunner({ ...call.params, tools: [tool], stream: call.stream });
  for await (const item of runner) {
    seen.message = call.stream ? await item.finalMessage() : item;
    seen.texts.push(...seen.message.content.filter((block) => block.type === "text").map((block) => block.text));
  }
}

async function post(client, call, seen) {
  seen.message = await client.post(call.path, { body: call.params });
}

/** A method of a resource by its path, such as `models.list`; of a list or a file every item. */
async function resource(client, call, seen) {
  const names = call.method.split(".").map((name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()));
  const method = names.pop();
  const owner = names.reduce((value, name) => value[name], client);
  const params = Object.keys(call.params).length ? [call.params] : [];
  const value = await owner[method](...call.ids, ...params);
  if (!call.each) {
    seen.value = value;
    return;
  }
  seen.items = [];
  for await (const item of value) seen.items.push(item);
}

/** A request without the SDK, on the HTTP client that it uses. */
async function request(call, seen) {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const answer = await fetch(call.url + call.path, { method: call.method, headers: call.headers, body });
  Object.assign(seen, {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: await answer.text(),
  });
}

const calls = { create, helper, raw, loop: toolLoop, runner: toolRunner };

function clientOf(call) {
  const { key: apiKey, token: authToken, headers: defaultHeaders, browser } = call.client;
  return new Anthropic({
    baseURL: call.url,
    maxRetries: call.max_retries,
    logLevel: "off",
    dangerouslyAllowBrowser: browser ?? false,
    ...(apiKey && { apiKey }),
    ...(authToken && { authToken }),
    ...(defaultHeaders && { defaultHeaders }),
  });
}

/** The call as often as it is asked for, all with one client. */
async function runsOf(call) {
  if (call.do === "fetch") return [await observed((seen) => request(call, seen))];
  const client = clientOf(call);
  const runs = [];
  for (let n = 0; n < call.times; n += 1) runs.push(await observed((seen) => run(client, call, seen)));
  return runs;
}

async function observed(doing) {
  const seen = {};
  waits = [];
  try {
    await doing(seen);
  } catch (error) {
    seen.error = failure(error);
  }
  seen.waits = waits;
  return seen;
}

async function run(client, call, seen) {
  if (call.do === "post") return post(client, call, seen);
  if (call.do === "resource") return resource(client, call, seen);
  const messages = call.beta ? client.beta.messages : client.messages;
  const controller = new AbortController();
  const options = call.leave === "signal" ? { signal: controller.signal } : undefined;
  const done = calls[call.do](messages, call, seen, options, controller);
  if (call.do === "create" && call.leave) {
    done.catch(() => {}); // it is awaited below
    await told("asked");
    controller.abort();
  }
  return done;
}

say({ sdk: VERSION });
for (let line = await lines.next(); !line.done; line = await lines.next()) {
  try {
    say({ runs: await runsOf(JSON.parse(line.value)) });
  } catch (error) {
    say({ broken: error.stack });
  }
}
