import { timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type Step, say } from './step.ts';
import { headerValue, parseBody, sha256, turnIdOf } from './provider-request.ts';
import type { ParsedBody, ProviderRequest } from './provider-request.ts';
import { streamStep } from './stream-step.ts';

/** A list answers the n-th call of every thread with its n-th step; a function decides itself. */
export type Script = readonly Step[] | ((request: ProviderRequest) => Step | Promise<Step>);

export type ScriptedProviderOptions = {
  script: Script;
  /** When set, every call must carry `Authorization: Bearer <apiKey>`. */
  apiKey?: string;
  /** 0 or absent: any free port. */
  port?: number;
  /** Address to listen on; absent: 127.0.0.1. */
  host?: string;
  /** Pause between pieces of streamed text where a step has none of its own, milliseconds. */
  pauseMs?: number;
};

export type ScriptedProvider = {
  /** Base address that ends in `/v1`, for `engine.provider.baseUrl`. */
  readonly url: string;
  /** Every model call so far, oldest first; at most MAX_RECORDED_REQUESTS. */
  readonly requests: readonly ProviderRequest[];
  setScript(script: Script): void;
  /** Drops every open stream and stops listening. */
  close(): Promise<void>;
};

const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_RECORDED_REQUESTS = 2_000;
const MAX_REMEMBERED = 10_000;
const WRONG_KEY = { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } };
const MODEL_IDS = ['scripted-model'];

type State = {
  options: ScriptedProviderOptions;
  script: Script;
  requests: ProviderRequest[];
  callsByThread: Map<string, number>;
  outputsAtTurnStart: Map<string, number>;
  callCount: number;
  closing: AbortController;
};

/** Beyond MAX_REMEMBERED the oldest threads and turns are forgotten. */
function remember(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, count);
  const [oldest] = counts.keys();
  if (counts.size > MAX_REMEMBERED && oldest !== undefined) counts.delete(oldest);
}

/** A model provider on this machine that follows a script instead of thinking. */
export async function startScriptedProvider(
  options: ScriptedProviderOptions,
): Promise<ScriptedProvider> {
  const state: State = {
    options,
    script: options.script,
    requests: [],
    callsByThread: new Map(),
    outputsAtTurnStart: new Map(),
    callCount: 0,
    closing: new AbortController(),
  };
  const server = createServer((request, response) => {
    handle(state, request, response).catch((error: unknown) => failCall(state, response, error));
  });
  const host = options.host ?? '127.0.0.1';
  await listen(server, options.port ?? 0, host);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return {
    url: `http://${host}:${address.port}/v1`,
    requests: state.requests,
    setScript: (script) => {
      state.script = script;
    },
    close: () => close(state, server),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

function close(state: State, server: Server): Promise<void> {
  state.closing.abort(new Error('the scripted provider is closed'));
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function handle(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
  const route = `${request.method} ${path}`;
  if (route === 'GET /v1/models') return answerModels(state, request, response);
  if (route !== 'POST /v1/responses') {
    return answerJson(response, 404, { error: { message: `no route ${route}` } });
  }
  const body = await readBody(request);
  if (body === null) return answerJson(response, 413, { error: { message: 'body too large' } });
  const recorded = record(state, request, path, parseBody(body));
  if (!recorded.authorized) return answerJson(response, 401, WRONG_KEY);
  const step = await nextStep(state, recorded);
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('the client left')));
  await streamStep(response, step, {
    callId: `s${(state.callCount += 1)}`,
    pauseMs: state.options.pauseMs ?? 0,
    signal: AbortSignal.any([gone.signal, state.closing.signal]),
  });
}

function answerModels(state: State, request: IncomingMessage, response: ServerResponse): void {
  if (!isAuthorized(state, request)) {
    return answerJson(response, 401, WRONG_KEY);
  }
  const data = MODEL_IDS.map((id) => ({ id, object: 'model', owned_by: 'switchyard-demo' }));
  answerJson(response, 200, { object: 'list', data });
}

async function nextStep(state: State, request: ProviderRequest): Promise<Step> {
  if (typeof state.script === 'function') return state.script(request);
  return state.script[request.callIndex] ?? say('The script has no further step.');
}

function record(
  state: State,
  request: IncomingMessage,
  path: string,
  parsed: ParsedBody,
): ProviderRequest {
  const threadId = headerValue(request.headers, 'thread-id') ?? '';
  const turnId = turnIdOf(request.headers);
  const authorization = headerValue(request.headers, 'authorization');
  const callIndex = state.callsByThread.get(threadId) ?? 0;
  remember(state.callsByThread, threadId, callIndex + 1);
  const turnKey = `${threadId}/${turnId}`;
  const atTurnStart = state.outputsAtTurnStart.get(turnKey) ?? parsed.toolOutputs.length;
  remember(state.outputsAtTurnStart, turnKey, atTurnStart);
  const recorded: ProviderRequest = {
    ...parsed,
    receivedAtMs: Date.now(),
    method: request.method ?? '',
    path,
    authorizationSha256: authorization === null ? null : sha256(authorization),
    authorized: isAuthorized(state, request),
    threadId,
    turnId,
    callIndex,
    stepIndex: Math.max(0, parsed.toolOutputs.length - atTurnStart),
  };
  state.requests.push(recorded);
  if (state.requests.length > MAX_RECORDED_REQUESTS) state.requests.shift();
  return recorded;
}

function isAuthorized(state: State, request: IncomingMessage): boolean {
  const { apiKey } = state.options;
  if (apiKey === undefined) return true;
  const given = sha256(headerValue(request.headers, 'authorization') ?? '');
  return timingSafeEqual(Buffer.from(given), Buffer.from(sha256(`Bearer ${apiKey}`)));
}

/** Null when the body is larger than MAX_BODY_BYTES. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** A client that left is no error; anything else is told to the engine as a bad request. */
function failCall(state: State, response: ServerResponse, error: unknown): void {
  if (response.destroyed || state.closing.signal.aborted) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  answerJson(response, 400, { error: { message: `scripted provider: ${message}` } });
}
