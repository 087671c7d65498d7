import { once } from 'node:events';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import { dirname } from 'node:path';
import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import { type LeaseRef, leaseKey } from '../../connection/lease-ref.ts';
import { readJson, sendJson } from '../../egress/read-json.ts';
import {
  AbandonedCall,
  RunnerCall,
  TOOL_PATHS,
  ToolOwner,
} from '../../egress/tools/runner-call.ts';
import type { ToolAnswer } from '../../engine/agent-engine.ts';

/** Handles the tools of one attempt. */
export type ToolOwnerHandler = {
  offered: readonly ToolSpec[];
  /** Performs a call; never rejects. */
  call(call: RunnerCall): Promise<ToolAnswer>;
  abandoned(call: AbandonedCall): void;
};

/**
 * The unix socket, open only to this user, at which the proxy requests tools. The proxy has
 * verified the attempt; the available tools and the effect of a call are decided here.
 */
export class ToolSocket {
  readonly #path: string;
  readonly #server: Server;
  readonly #attempts = new Map<string, ToolOwnerHandler>();

  constructor(path: string) {
    this.#path = path;
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        ({ status, body }) => sendJson(response, status, body),
        () => sendJson(response, 400, { error: 'malformed' }),
      );
    });
  }

  async listen(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await rm(this.#path, { force: true });
    this.#server.listen(this.#path);
    // Rejects when it cannot listen.
    await once(this.#server, 'listening');
    await chmod(this.#path, 0o600);
  }

  /** Handles calls of an attempt until the returned function is called. */
  serve(ref: LeaseRef, handler: ToolOwnerHandler): () => void {
    const key = leaseKey(ref);
    this.#attempts.set(key, handler);
    return () => {
      if (this.#attempts.get(key) === handler) this.#attempts.delete(key);
    };
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const posted = await readJson(request);
    switch (request.url) {
      case TOOL_PATHS.list: {
        const handler = this.#handlerOf(ToolOwner.parse(posted));
        return handler === undefined ? NOT_HELD : { status: 200, body: { tools: handler.offered } };
      }
      case TOOL_PATHS.call: {
        const call = RunnerCall.parse(posted);
        const handler = this.#handlerOf(call);
        return handler === undefined ? NOT_HELD : { status: 200, body: await handler.call(call) };
      }
      case TOOL_PATHS.abandoned: {
        const call = AbandonedCall.parse(posted);
        this.#handlerOf(call)?.abandoned(call);
        return { status: 200, body: {} };
      }
      default:
        return { status: 405, body: { error: 'unknown request' } };
    }
  }

  #handlerOf(ref: LeaseRef): ToolOwnerHandler | undefined {
    return this.#attempts.get(leaseKey(ref));
  }
}

const NOT_HELD = { status: 404, body: { error: 'this runner does not hold the attempt' } };
