import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpReply } from './read-message.ts';
import type { RpcId } from './mcp-message.ts';
import { sendReply } from './send-reply.ts';

/**
 * Answers as JSON if the result comes soon. Otherwise the response becomes an event stream, on
 * which comments and progress show the client, and proxies in between, that the call continues.
 */
export class SlowAnswer {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #progressToken: RpcId | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beats = 0;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    progressToken: RpcId | undefined,
    limits: { quickMs: number; keepAliveMs: number },
  ) {
    this.#request = request;
    this.#response = response;
    this.#progressToken = progressToken;
    if (!(request.headers.accept ?? '').includes('text/event-stream')) return;
    this.#timer = setTimeout(() => {
      this.#begin();
      this.#timer = setInterval(() => this.#beat(), limits.keepAliveMs);
    }, limits.quickMs);
  }

  end(reply: McpReply): void {
    this.stop();
    if (!this.#response.headersSent) return sendReply(this.#request, this.#response, reply);
    this.#event(reply.body);
    this.#response.end();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #begin(): void {
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
    this.#response.writeHead(200, headers);
    this.#response.socket?.setNoDelay(true);
    this.#beat();
  }

  #beat(): void {
    this.#beats += 1;
    if (this.#progressToken === undefined) {
      this.#response.write(': the call goes on\n\n');
      return;
    }
    const params = { progressToken: this.#progressToken, progress: this.#beats };
    this.#event({ jsonrpc: '2.0', method: 'notifications/progress', params });
  }

  #event(message: unknown): void {
    this.#response.write(`event: message\ndata: ${toJson(message)}\n\n`);
  }
}
