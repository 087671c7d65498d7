import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { serveGit } from '../../../../test/support/github/git-backend.ts';
import { selfSigned } from '../../../../test/support/github/self-signed.ts';

const LFS_TYPE = 'application/vnd.git-lfs+json';
const OID = /^[0-9a-f]{64}$/;
const BATCH = /^\/(.+)\.git\/info\/lfs\/objects\/batch$/;
const OBJECT = /^\/(objects|verify)\/([0-9a-f]{64})$/;
/** Only of the address that an answer of the batch API named. */
const TICKET = 'RemoteAuth one-object';

type Operation = 'download' | 'upload';

/** A code host with repositories and Git LFS over https, at least as strict as its specification. */
export type LfsHost = {
  urlOf: (path: string) => string;
  env: { GIT_SSL_CAINFO: string };
  /** Content of each object that it has, by its SHA-256. */
  objects: Map<string, Buffer>;
  /** What was asked, in order: `batch upload 2`, `GET`, `PUT`, `verify`, and what was wrong with it. */
  asked: string[];
  /** Basic credentials that it wants from now on, for LFS alone. */
  wants: { username: string; password: string } | null;
  /** Answers to batches in place of its own; null: it answers itself. */
  refuse: { operation: Operation; status: number; message: string } | null;
  /** What it sends of each answer in JSON before it breaks off; null: all of it. */
  breakAfter: string | null;
  /** Changes what it says of an object in a batch. */
  change: (object: Record<string, unknown>, operation: Operation) => Record<string, unknown>;
  /** Changes what it sends of an object. */
  send: (content: Buffer) => Buffer;
  /** Where it sends those who ask for content; null: it sends the content. */
  redirectTo: ((url: string) => string) | null;
  /** Answers to uploads of content in place of its own. */
  putStatus: number | null;
  close: () => Promise<void>;
};

export const sha256 = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');

export const pointerTo = (content: string | Buffer): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(content)}\nsize ${Buffer.byteLength(content)}\n`;

export async function startLfsHost(folder: string): Promise<LfsHost> {
  const { key, cert, certPath } = await selfSigned(folder);
  const server = createServer({ key, cert }, (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'https://host');
    const isLfs = BATCH.test(pathname) || OBJECT.test(pathname);
    const answered = isLfs
      ? serveLfs(host, origin(), request, response)
      : serveGit(folder, request, response);
    answered.catch(() => response.destroy());
  });
  const origin = (): string => `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const host: LfsHost = {
    urlOf: (path) => `${origin()}/${path}`,
    env: { GIT_SSL_CAINFO: certPath },
    objects: new Map(),
    asked: [],
    wants: null,
    refuse: null,
    breakAfter: null,
    change: (object) => object,
    send: (content) => content,
    redirectTo: null,
    putStatus: null,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return host;
}

async function serveLfs(
  host: LfsHost,
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', origin);
  const body = await bodyOf(request);
  const say = (status: number, answer: unknown): void => {
    if (status >= 400) host.asked.push(`${request.method} answered ${status}`);
    const more = status === 401 ? { 'lfs-authenticate': 'Basic realm="Git LFS"' } : {};
    response.writeHead(status, { 'content-type': LFS_TYPE, ...more });
    if (host.breakAfter === null) response.end(JSON.stringify(answer));
    else response.write(host.breakAfter, () => response.destroy());
  };
  const [, kind, oid = ''] = OBJECT.exec(pathname) ?? [];
  if (kind === undefined) return say(...batch(host, origin, request, body));
  if (request.headers.authorization !== TICKET) return say(403, { message: 'no ticket' });
  if (request.headers['x-one-object'] !== oid) return say(403, { message: 'of another object' });
  if (kind === 'verify') {
    host.asked.push('verify');
    const { oid: named, size } = JSON.parse(body.toString()) as Record<string, unknown>;
    const known = host.objects.get(oid);
    const isIt = speaksLfs(request) && named === oid && size === known?.byteLength;
    return say(isIt ? 200 : 422, {});
  }
  if (request.method === 'GET' && host.redirectTo !== null) {
    response.writeHead(302, { location: host.redirectTo(origin + pathname) }).end();
    return;
  }
  host.asked.push(request.method ?? '');
  if (request.method === 'GET') {
    const content = host.objects.get(oid);
    if (content === undefined) return say(404, { message: 'gone' });
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    response.end(host.send(content));
    return;
  }
  const isOctets = request.headers['content-type'] === 'application/octet-stream';
  const isSized = request.headers['content-length'] === String(body.byteLength);
  if (request.method !== 'PUT' || !isOctets || !isSized) return say(400, { message: 'no upload' });
  if (host.putStatus !== null) return say(host.putStatus, { message: 'not taken' });
  if (sha256(body) !== oid) return say(422, { message: 'other content' });
  host.objects.set(oid, body);
  response.writeHead(200).end();
}

function batch(
  host: LfsHost,
  origin: string,
  request: IncomingMessage,
  body: Buffer,
): [status: number, answer: unknown] {
  if (request.method !== 'POST') return [405, { message: 'POST it' }];
  if (request.headers.accept !== LFS_TYPE) return [406, { message: 'Accept is wrong' }];
  if (!speaksLfs(request)) return [415, { message: 'Content-Type is wrong' }];
  if (host.wants !== null) {
    const { username, password } = host.wants;
    const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    if (request.headers.authorization !== basic) return [401, { message: 'Credentials needed' }];
  }
  const asked = JSON.parse(body.toString()) as {
    operation: Operation;
    transfers?: string[];
    hash_algo?: string;
    objects: { oid: string; size: number }[];
  };
  const { operation, objects, transfers = ['basic'], hash_algo: algorithm = 'sha256' } = asked;
  host.asked.push(`batch ${operation} ${objects.length}`);
  if (operation !== 'download' && operation !== 'upload') return [422, { message: 'operation' }];
  if (algorithm !== 'sha256') return [409, { message: 'only sha256' }];
  if (!transfers.includes('basic')) return [422, { message: 'only basic' }];
  if (objects.length > 100) return [413, { message: 'at most 100 objects' }];
  const wrong = objects.some(
    ({ oid, size }) => !OID.test(oid) || !Number.isInteger(size) || size < 0,
  );
  if (wrong || objects.length === 0) return [422, { message: 'objects' }];
  if (host.refuse?.operation === operation)
    return [host.refuse.status, { message: host.refuse.message }];
  const found = objects.map((object) =>
    host.change(answerFor(host, origin, operation, object), operation),
  );
  return [200, { transfer: 'basic', objects: found, hash_algo: 'sha256' }];
}

function answerFor(
  { objects }: LfsHost,
  origin: string,
  operation: Operation,
  { oid, size }: { oid: string; size: number },
): Record<string, unknown> {
  const action = (path: string) => ({
    href: `${origin}/${path}/${oid}`,
    header: { Authorization: TICKET, 'X-One-Object': oid },
    expires_in: 600,
  });
  const known = objects.get(oid);
  if (operation === 'upload') {
    if (known !== undefined) return { oid, size };
    const actions = { upload: action('objects'), verify: action('verify') };
    return { oid, size, authenticated: true, actions };
  }
  if (known?.byteLength !== size)
    return { oid, size, error: { code: 404, message: 'Object does not exist' } };
  return { oid, size, authenticated: true, actions: { download: action('objects') } };
}

function speaksLfs({ headers }: IncomingMessage): boolean {
  return (headers['content-type'] ?? '').split(';')[0] === LFS_TYPE;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
