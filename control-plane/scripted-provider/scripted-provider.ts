import { timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type Step, say } from './step.ts';
import { collectBody } from '@switchyard/shared/host/collect-body';
import { headerValue } from '@switchyard/shared/host/scripted-model/formats/header-value';
import { listModels } from '@switchyard/shared/host/scripted-model/formats/list-models';
import type {
  ParsedRequest,
  WireFormat,
} from '@switchyard/shared/host/scripted-model/formats/wire-format';
import { formatAt, isCount } from '@switchyard/shared/host/scripted-model/formats/format-at';
import { type ProviderRequest, sha256 } from './provider-request.ts';
import { sideAnswer } from '@switchyard/shared/host/scripted-model/side-answer';
import { streamStep } from '@switchyard/shared/host/scripted-model/stream-step';
import { messageOf } from '@switchyard/shared/message-of';

/**
 * What the provider answers: from a list, the n-th call of each thread gets the n-th step; a
 * function returns the step for each request.
 */
export type Script = readonly Step[] | ((request: ProviderRequest) => Step | Promise<Step>);

export type ScriptedProviderOptions = {
  script: Script;
  /** When set, every call must carry it, in the header that its format has for it. */
  apiKey?: string;
  /** 0 or absent: any free port. */
  port?: number;
  /** Address to listen on; absent: 127.0.0.1. */
  host?: string;
  /** Ids that its lists of models have; absent: scripted-model alone. */
  models?: readonly string[];
  /** Pause between pieces of streamed text where a step has none of its own, milliseconds. */
  pauseMs?: number;
};

export type ScriptedProvider = {
  /** Base address that ends in `/v1`, for `engine.provider.baseUrl`. */
  readonly url: string;
  /** The address alone, for clients that add the version themselves. */
  readonly origin: string;
  /** The newest model calls, oldest first; at most MAX_RECORDED_REQUESTS. */
  readonly requests: readonly ProviderRequest[];
  setScript(script: Script): void;
  /** Drops every open stream and stops listening. */
  close(): Promise<void>;
};

const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_RECORDED_REQUESTS = 2_000;
const MAX_REMEMBERED = 10_000;
const MODEL_IDS = ['scripted-model'];
/** What threads are named after. */
const SIDE_TITLE = 'Repair the tests';

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
    origin: `http://${host}:${address.port}`,
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
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const route = `${request.method} ${path}`;
  if (/^GET \/v1(?:beta)?\/models$/.test(route)) return answerModels(state, request, response);
  const format = request.method === 'POST' ? formatAt(path) : null;
  if (format === null) {
    return answerJson(response, 404, { error: { message: `no route ${route}` } });
  }
  const { body: bytes, isWhole } = await collectBody(request, MAX_BODY_BYTES);
  if (!isWhole) {
    // The rest is discarded, since a client may read the response only after it has sent everything.
    request.resume();
    return answerJson(response, 413, { error: { message: 'body too large' } });
  }
  const body = bytes.toString('utf8');
  const parsed = format.parse(JSON.parse(body), { headers: request.headers, path });
  const key = format.keyOf(request.headers, query);
  const side = sideAnswer(parsed, SIDE_TITLE);
  const isBeside = side !== null || isCount(path);
  const recorded = record(state, { request, path, format, key, isSide: isBeside }, parsed);
  if (!recorded.authorized) return refuseKey(response, format);
  if (isCount(path)) return answerCount(response, body, format);
  const step = side ?? (await nextStep(state, recorded));
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('the client left')));
  await streamStep(response, step, {
    format,
    request: parsed,
    callId: `s${(state.callCount += 1)}`,
    pauseMs: state.options.pauseMs ?? 0,
    signal: AbortSignal.any([gone.signal, state.closing.signal]),
  });
}

function refuseKey(response: ServerResponse, format: WireFormat): void {
  const { status, body } = format.refuse({ kind: 'unauthorized' }, Date.now());
  answerJson(response, status, body);
}

/** About as many tokens as a model would count: four characters are one. */
function answerCount(response: ServerResponse, body: string, { wireApi }: WireFormat): void {
  const tokens = Math.ceil(body.length / 4);
  answerJson(
    response,
    200,
    wireApi === 'gemini' ? { totalTokens: tokens } : { input_tokens: tokens },
  );
}

/** Whose list is asked for tells the path or the headers: each publisher has its own. */
function answerModels(state: State, request: IncomingMessage, response: ServerResponse): void {
  const { models = MODEL_IDS } = state.options;
  const isAuthorizedBy = (key: string) => isAuthorized(state, key);
  const { status, body } = listModels(request, { models, isAuthorized: isAuthorizedBy });
  answerJson(response, status, body);
}

async function nextStep(state: State, request: ProviderRequest): Promise<Step> {
  if (typeof state.script === 'function') return state.script(request);
  return state.script[request.callIndex] ?? say('The script has no further step.');
}

type Received = {
  request: IncomingMessage;
  path: string;
  format: WireFormat;
  key: string;
  isSide: boolean;
};

function record(state: State, received: Received, parsed: ParsedRequest): ProviderRequest {
  const { request, path, format, key, isSide } = received;
  const authorization = headerValue(request.headers, 'authorization');
  const { threadId, turnId, model, input, tools, systemText, userTexts, toolOutputs } = parsed;
  const recorded: ProviderRequest = {
    threadId,
    turnId,
    model,
    input,
    systemText,
    userTexts,
    toolOutputs,
    isSide,
    toolNames: tools.map(({ name }) => name),
    receivedAtMs: Date.now(),
    method: request.method ?? '',
    path,
    wireApi: format.wireApi,
    authorizationSha256: authorization === null ? null : sha256(authorization),
    keySha256: key === '' ? null : sha256(key),
    authorized: isAuthorized(state, key),
    callIndex: isSide ? 0 : countCall(state, threadId),
    stepIndex: parsed.rounds ?? resultsOfTurn(state, parsed),
  };
  state.requests.push(recorded);
  if (state.requests.length > MAX_RECORDED_REQUESTS) state.requests.shift();
  return recorded;
}

function countCall(state: State, threadId: string): number {
  const callIndex = state.callsByThread.get(threadId) ?? 0;
  remember(state.callsByThread, threadId, callIndex + 1);
  return callIndex;
}

/** Number of tool results since this turn's first request, for engines that name their turns. */
function resultsOfTurn(state: State, { threadId, turnId, toolOutputs }: ParsedRequest): number {
  const turnKey = `${threadId}/${turnId}`;
  const atTurnStart = state.outputsAtTurnStart.get(turnKey) ?? toolOutputs.length;
  remember(state.outputsAtTurnStart, turnKey, atTurnStart);
  return Math.max(0, toolOutputs.length - atTurnStart);
}

function isAuthorized(state: State, key: string): boolean {
  const { apiKey } = state.options;
  if (apiKey === undefined) return true;
  return timingSafeEqual(Buffer.from(sha256(key)), Buffer.from(sha256(apiKey)));
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
  const message = messageOf(error);
  answerJson(response, 400, { error: { message: `scripted provider: ${message}` } });
}
