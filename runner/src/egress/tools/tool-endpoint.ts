import { cutText } from '@switchyard/shared/text/cut-text';
import { collectBody } from '@switchyard/shared/host/collect-body';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson } from '@switchyard/shared/text/parse-json';
import { ERROR, type RpcId } from './mcp-message.ts';
import {
  type McpReply,
  type McpStep,
  callReply,
  errorReply,
  listReply,
  readMessage,
} from './read-message.ts';
import type { RunnerLine } from './runner-line.ts';
import { sendReply } from './send-reply.ts';
import { SlowAnswer } from './slow-answer.ts';

export const ENDPOINT_LIMITS = {
  /**
   * Limit on a request body. Larger than the runner's limit on a call's arguments, so that the
   * runner can tell the agent that they are too long.
   */
  requestBodyBytes: 256 * 1024,
  bodyTimeoutMs: 30_000,
  /** Concurrent requests of one attempt. */
  atOnce: 16,
  /** A slower call is answered as an event stream, which shows that it continues. */
  quickMs: 1_000,
  /** Interval of keep-alive messages on such a stream. */
  keepAliveMs: 10_000,
};

const PATH = '/mcp';
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);
/** The attempt whose tools are requested, as the proxy knows it. */
export type ToolUser = { attemptId: string; epoch: number; revoked: AbortController };
type OpenCall = { abandon: (cancelled: boolean) => void };

/** Whether a request is for the tool server; any other is for the model provider. */
export function isForTools(url: string | undefined): boolean {
  return url === PATH || url?.startsWith(`${PATH}?`) === true;
}

/**
 * The agent's tools as a server of the Model Context Protocol over Streamable HTTP, at `/mcp`.
 * Keeps no client state: the runner performs calls and knows repeated ones. The caller has verified
 * the attempt's token.
 */
export class ToolEndpoint {
  readonly #line: RunnerLine;
  readonly #limits: typeof ENDPOINT_LIMITS;
  /** Open requests by attempt. */
  readonly #active = new Map<ToolUser, number>();
  /** Open calls by attempt, session and id, for clients that cancel one. */
  readonly #calls = new Map<string, OpenCall>();

  constructor(line: RunnerLine, limits: Partial<typeof ENDPOINT_LIMITS> = {}) {
    this.#line = line;
    this.#limits = { ...ENDPOINT_LIMITS, ...limits };
  }

  /** Always ends the response; never throws. */
  async answer(request: IncomingMessage, response: ServerResponse, user: ToolUser): Promise<void> {
    const active = this.#active.get(user) ?? 0;
    this.#active.set(user, active + 1);
    try {
      const problem = problemOf(request);
      if (problem !== null) return sendReply(request, response, problem);
      if (active >= this.#limits.atOnce) {
        const message = `more than ${this.#limits.atOnce} requests at a time`;
        return sendReply(request, response, refused(429, ERROR.unavailable, message));
      }
      const body = await this.#bodyOf(request);
      if (body === null) {
        const message = `the body is over ${this.#limits.requestBodyBytes} bytes or came too slowly`;
        return sendReply(request, response, refused(413, ERROR.invalidRequest, message));
      }
      await this.#answerBody(request, response, user, body);
    } catch {
      // Only a disconnected client, a cancelled call or an ended attempt leads here.
      response.destroy();
    } finally {
      const left = (this.#active.get(user) ?? 1) - 1;
      if (left > 0) this.#active.set(user, left);
      else this.#active.delete(user);
    }
  }

  /** Null when the body is too long or too slow. */
  async #bodyOf(request: IncomingMessage): Promise<string | null> {
    const inTime = AbortSignal.timeout(this.#limits.bodyTimeoutMs);
    try {
      const { requestBodyBytes } = this.#limits;
      const { body, isWhole } = await collectBody(request, requestBodyBytes, inTime);
      return isWhole ? body.toString('utf8') : null;
    } catch (error) {
      if (inTime.aborted) return null;
      throw error;
    }
  }

  async #answerBody(
    request: IncomingMessage,
    response: ServerResponse,
    user: ToolUser,
    body: string,
  ): Promise<void> {
    const posted = parseJson(body);
    if (posted === undefined) {
      return sendReply(request, response, refused(400, ERROR.parse, 'the body is not JSON'));
    }
    const { headers } = request;
    const step = readMessage(posted, {
      revision: one(headers['mcp-protocol-version']),
      method: one(headers['mcp-method']),
      name: one(headers['mcp-name']),
    });
    const session = cutText(one(headers['mcp-session-id']) ?? '', 200);
    switch (step.kind) {
      case 'reply':
        return sendReply(request, response, step.reply);
      case 'cancelled':
        this.#calls.get(nameOf(user, session, step.id))?.abandon(true);
        return sendReply(request, response, { status: 202, body: null });
      case 'list':
        return sendReply(request, response, await this.#list(user, step));
      case 'call':
        return await this.#call({ request, response }, user, session, step);
    }
  }

  async #list(user: ToolUser, step: Extract<McpStep, { kind: 'list' }>): Promise<McpReply> {
    const { attemptId, epoch, revoked } = user;
    const tools = await this.#line.tools({ attemptId, epoch }, revoked.signal);
    if (tools !== null) return listReply(step, tools);
    const message = 'the runner that knows the tools of this attempt does not answer';
    return errorReply(503, step.id, { code: ERROR.unavailable, message });
  }

  async #call(
    { request, response }: { request: IncomingMessage; response: ServerResponse },
    user: ToolUser,
    session: string,
    step: Extract<McpStep, { kind: 'call' }>,
  ): Promise<void> {
    const { attemptId, epoch } = user;
    const key = keyOf(session, step);
    const gone = new AbortController();
    let isOver = false;
    const abandon = (cancelled: boolean): void => {
      if (isOver) return;
      isOver = true;
      gone.abort();
      void this.#line.abandoned({ attemptId, epoch, key, cancelled });
    };
    const name = nameOf(user, session, step.id);
    const open: OpenCall = { abandon };
    const closed = (): void => abandon(false);
    this.#calls.set(name, open);
    response.once('close', closed);
    const signal = AbortSignal.any([gone.signal, user.revoked.signal]);
    const call = { attemptId, epoch, key, tool: step.tool, arguments: step.arguments };
    const answered = this.#line.call(call, signal);
    // A cancelled request gets no answer, but its response is ended.
    answered.catch(() => undefined);
    const stream = new SlowAnswer(request, response, step.progressToken, this.#limits);
    try {
      const answer = await answered;
      // From here on the call cannot be cancelled.
      isOver = true;
      stream.end(callReply(step, answer));
    } finally {
      stream.stop();
      response.off('close', closed);
      if (this.#calls.get(name) === open) this.#calls.delete(name);
      if (user.revoked.signal.aborted) response.destroy();
      else if (!response.writableEnded) endUnanswered(response);
    }
  }
}

/**
 * Why a request is refused before its body is read. Browsers' pages are refused, whatever name
 * resolves to this address; clients that request a stream or end a session are told that there is
 * none.
 */
function problemOf(request: IncomingMessage): McpReply | null {
  const { headers, method } = request;
  const host = /^(.*?)(:\d+)?$/.exec(headers.host ?? '')?.[1] ?? '';
  if (headers.origin !== undefined || !LOOPBACK.has(host)) {
    return refused(403, ERROR.invalidRequest, 'only programs of this attempt may ask here');
  }
  if (method !== 'POST') {
    return refused(
      405,
      ERROR.invalidRequest,
      'messages are posted; there is no stream and no session',
    );
  }
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return null;
  return refused(415, ERROR.invalidRequest, 'content-type has to be application/json');
}

/** Ends the response to a request that its client cancelled. */
function endUnanswered(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(202);
  response.end();
}

function refused(status: number, code: number, message: string): McpReply {
  return errorReply(status, null, { code, message });
}

/** Key of a call, equal when it is posted again. */
function keyOf(session: string, step: Extract<McpStep, { kind: 'call' }>): string {
  const parts = [session, step.id, step.tool, step.arguments];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function nameOf(user: ToolUser, session: string, id: RpcId): string {
  return JSON.stringify([user.attemptId, user.epoch, session, id]);
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
