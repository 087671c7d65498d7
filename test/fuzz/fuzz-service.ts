import { request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import { ErrorBody } from '@switchyard/shared/api/error-body';
import { messageOf } from '@switchyard/shared/message-of';
import { type FuzzRequest, requestArbitrary } from './request-arbitrary.ts';

const AT_A_TIME = 8;
/** Made at once; all of a long run together would take much memory. */
const ROUND = 500;
const REQUEST_TIMEOUT_MS = 30_000;
/** Statuses above 500 that the interface gives a meaning. */
const MEANT = new Set([501, 502, 503]);
const MAX_FINDINGS = 20;

export type FuzzFinding = { request: FuzzRequest; problem: string };
export type FuzzReport = {
  seed: number;
  sent: number;
  byStatus: Record<string, number>;
  findings: FuzzFinding[];
};

export type FuzzOptions = {
  url: string;
  count: number;
  seed: number;
  known: readonly string[];
  /** Operations that are not to be asked for, for example because they would stop other clients. */
  leaveOut?: (operation: { method: string; path: string }) => boolean;
  /** Loopback address that the n-th request comes from; left out: any. */
  addressOf?: (index: number) => string;
  /** Requests under way at once; 8 when left out. */
  atATime?: number;
  /** Before each request, milliseconds. */
  pauseMs?: number;
  /** Ends the run early. */
  signal?: AbortSignal;
  onProgress?: (sent: number) => void;
};

/** Sends `count` requests made from the service's own document. The same seed makes the same ones. */
export async function fuzzService(options: FuzzOptions): Promise<FuzzReport> {
  const { url, count, seed, known, leaveOut, signal } = options;
  const document: unknown = await (await fetch(`${url}/api/v1/openapi.json`)).json();
  const arbitrary = requestArbitrary(document, known, leaveOut);
  const report: FuzzReport = { seed, sent: 0, byStatus: {}, findings: [] };
  const isOver = () => report.findings.length >= MAX_FINDINGS || signal?.aborted === true;
  for (let made = 0; made < count && !isOver(); made += ROUND) {
    const numRuns = Math.min(ROUND, count - made);
    const queue = fc.sample(arbitrary, { numRuns, seed: seed + made }).values();
    const worker = async () => {
      for (const request of queue) {
        if (isOver()) return;
        if (options.pauseMs !== undefined) await delay(options.pauseMs);
        const { status, problem } = await look(url, request, options.addressOf?.(report.sent));
        report.sent += 1;
        report.byStatus[status] = (report.byStatus[status] ?? 0) + 1;
        if (problem !== null) report.findings.push({ request, problem });
        if (report.sent % ROUND === 0) options.onProgress?.(report.sent);
      }
    };
    await Promise.all(Array.from({ length: options.atATime ?? AT_A_TIME }, worker));
  }
  return report;
}

async function look(
  url: string,
  request: FuzzRequest,
  address: string | undefined,
): Promise<{ status: number; problem: string | null }> {
  try {
    const { status, type, text } = await send(url, request, address);
    if (status >= 500 && !MEANT.has(status)) {
      return { status, problem: `answered ${status}: ${text.slice(0, 500)}` };
    }
    const owned = /^\/(api|webhooks|metrics)\b/.test(request.target);
    if (status >= 400 && owned && request.method !== 'HEAD' && !isEnvelope(type, text, status)) {
      return { status, problem: `${status} without the error envelope: ${text.slice(0, 200)}` };
    }
    return { status, problem: null };
  } catch (error) {
    return { status: 0, problem: messageOf(error) };
  }
}

function isEnvelope(type: string, text: string, status: number): boolean {
  if (!type.includes('json')) return false;
  const body = ErrorBody.safeParse(JSON.parse(text));
  return body.success && body.data.status === status;
}

/** Plain HTTP: `fetch` would mend the very targets and methods that are to go wrong. */
function send(
  url: string,
  { method, target, contentType, body }: FuzzRequest,
  address: string | undefined,
): Promise<{ status: number; type: string; text: string }> {
  const { hostname, port } = new URL(url);
  // Node refuses what no client could put on the wire.
  // oxlint-disable-next-line no-control-regex -- such characters are what is meant
  const path = target.replace(/[\u0000-\u0020\u007f-\uffff]/g, (char) => encodeURIComponent(char));
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = {};
    if (contentType !== null) headers['Content-Type'] = contentType;
    if (body !== null) headers['Content-Length'] = String(Buffer.byteLength(body));
    const call = httpRequest({
      // A kept connection may be closed by the service just as it is used again: no finding.
      agent: false,
      hostname,
      port,
      method,
      path,
      headers,
      timeout: REQUEST_TIMEOUT_MS,
      ...(address === undefined ? {} : { localAddress: address }),
    });
    call.once('timeout', () => call.destroy(new Error(`no answer in ${REQUEST_TIMEOUT_MS} ms`)));
    call.once('error', reject);
    call.once('response', (response) => {
      const status = response.statusCode ?? 0;
      const type = response.headers['content-type'] ?? '';
      // A stream has no end to wait for.
      if (type.startsWith('text/event-stream')) {
        resolve({ status, type, text: '' });
        return void call.destroy();
      }
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => resolve({ status, type, text: Buffer.concat(chunks).toString() }));
      response.once('error', reject);
    });
    call.end(body ?? undefined);
  });
}
