import { type IncomingMessage, type Server, createServer } from 'node:http';
import * as z from 'zod';
import { GrantRequest, type GrantStatus } from './grant.ts';
import type { ProxyServer } from './proxy-server.ts';
import { readJson, sendJson } from './read-json.ts';

/** Increased when a runner and a running proxy would no longer understand each other. */
export const CONTROL_VERSION = 5;

const Owner = z.strictObject({ attemptId: z.string(), epoch: z.int().nonnegative() });

export type ProxyStatus = {
  controlVersion: number;
  pid: number;
  hostPort: number;
  startedAtMs: number;
  grants: GrantStatus[];
};

/**
 * The proxy's control interface, on a unix socket that only its user can open: `PUT /grant`,
 * `DELETE /grant`, `POST /egress` (an attempt's network requests), `POST /model` (its model
 * provider's responses; null without a grant), `GET /status`, `POST /stop`.
 */
export function createControlServer(
  proxy: ProxyServer,
  process: { pid: number; startedAtMs: number; stop: () => void },
): Server {
  return createServer((request, response) => {
    answer(request, proxy, process).then(
      ({ status, body }) => sendJson(response, status, body),
      (error: unknown) => sendJson(response, 400, { error: describe(error) }),
    );
  });
}

async function answer(
  request: IncomingMessage,
  proxy: ProxyServer,
  process: { pid: number; startedAtMs: number; stop: () => void },
): Promise<{ status: number; body: unknown }> {
  switch (`${request.method} ${request.url}`) {
    case 'PUT /grant': {
      await proxy.grant(GrantRequest.parse(await readJson(request)));
      return { status: 200, body: { ok: true } };
    }
    case 'DELETE /grant': {
      const revoked = await proxy.revoke(Owner.parse(await readJson(request)));
      return { status: 200, body: { ok: true, revoked } };
    }
    case 'POST /egress': {
      return { status: 200, body: proxy.egressReport(Owner.parse(await readJson(request))) };
    }
    case 'POST /model': {
      return { status: 200, body: proxy.modelReport(Owner.parse(await readJson(request))) };
    }
    case 'GET /status': {
      const status: ProxyStatus = {
        controlVersion: CONTROL_VERSION,
        pid: process.pid,
        hostPort: proxy.hostPort,
        startedAtMs: process.startedAtMs,
        grants: proxy.status(),
      };
      return { status: 200, body: status };
    }
    case 'POST /stop': {
      setImmediate(process.stop);
      return { status: 202, body: { ok: true } };
    }
    default:
      return { status: 404, body: { error: 'unknown request' } };
  }
}

/** Names fields only: a message that quotes the input could contain the key. */
function describe(error: unknown): string {
  if (error instanceof z.ZodError) {
    return `invalid fields: ${error.issues.map((issue) => issue.path.join('.') || issue.code).join(', ')}`;
  }
  if (error instanceof SyntaxError) return 'not JSON';
  return error instanceof Error ? error.message : 'failed';
}
