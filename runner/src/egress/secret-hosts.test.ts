import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders, RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import type { WorkSecret } from '@switchyard/shared/sandbox/work-secret';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashToken } from './grant.ts';
import { ProxyServer, closed, listening } from './proxy-server.ts';

const OWNER = { attemptId: 'A1', epoch: 1 };
const VALUE = 'celeriac-0815-token';
const STARS = '*'.repeat(VALUE.length);

type Answer = { status: number; headers: IncomingHttpHeaders; text: string };

let folder: string;
let tls: { key: string; cert: string };
const trusted = getCACertificates('default');
let secure: Server;
let plain: Server;
let handler: RequestListener;
/** Every request that any of the hosts got, with what it carried. */
let seen: { url: string; host: string; authorization: string | undefined }[];
let proxy: ProxyServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-secrets-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const names = ['-subj', '/CN=api.test', '-addext', 'subjectAltName=DNS:api.test'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-days', '1', ...made, '-keyout', key, '-out', cert, ...names],
    { stdio: 'ignore' },
  );
  tls = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  setDefaultCACertificates([...trusted, tls.cert]);
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  seen = [];
  handler = (_request, response) => response.end('fine');
  const listener: RequestListener = (request, response) => {
    const { host = '', authorization } = request.headers;
    seen.push({ url: request.url ?? '', host, authorization });
    handler(request, response);
  };
  secure = createTlsServer(tls, listener);
  plain = createServer(listener);
  await listening(secure, { host: '127.0.0.1', port: 0 });
  await listening(plain, { host: '127.0.0.1', port: 0 });
  proxy = new ProxyServer({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
  await proxy.listen();
});
afterEach(async () => {
  await proxy.close();
  await closed(secure);
  await closed(plain);
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const api = (): string => `api.test:${portOf(secure)}`;
const other = (): string => `other.test:${portOf(plain)}`;

async function grant(
  change: Partial<WorkSecret> = {},
  given: { hosts?: string[]; values?: Record<string, string> } = {},
): Promise<void> {
  const secret: WorkSecret = {
    name: 'API_TOKEN',
    hosts: [api()],
    header: 'authorization',
    scheme: 'bearer',
    writes: false,
    ...change,
  };
  await proxy.grant({
    ...OWNER,
    tokenHash: hashToken('token'),
    upstreamBaseUrl: 'http://127.0.0.1:1/v1',
    apiKey: null,
    expiresAtMs: Date.now() + 60_000,
    socketFolder: folder,
    egress: {
      hosts: [other(), ...(given.hosts ?? [])],
      privateHosts: [api(), other(), `api.test:${portOf(plain)}`, 'api.test'],
      readOnlyOrigins: [],
      secrets: [secret],
      maxBytes: 1_000_000,
    },
    secretValues: given.values ?? { API_TOKEN: VALUE },
  });
}

/** A request through the proxy, as programs do it that know `http_proxy`. */
function ask(url: string, options: { method?: string; authorization?: string } = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const { method = 'GET', authorization } = options;
    const headers = {
      host: new URL(url).host,
      ...(authorization === undefined ? {} : { authorization }),
    };
    const socketPath = join(folder, 'proxy.sock');
    const request = httpRequest({ socketPath, method, path: url, headers }, (response) => {
      let text = '';
      const end = () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', end);
      response.on('error', end);
    });
    request.on('error', reject);
    request.end();
  });
}

/** What comes back on a tunnel in which `text` is sent. */
function through(target: string, text = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(join(folder, 'proxy.sock'));
    let said = '';
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (/^HTTP\/1\.1 200 [^\r]*\r\n\r\n$/.test(said)) socket.write(text);
    });
    socket.on('close', () => resolve(said));
    socket.on('error', reject);
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  });
}

describe('hosts that get a secret', () => {
  it('are asked over TLS with it, whatever the container sent; others never get it', async () => {
    await grant();
    const answer = await ask(`http://${api()}/a?b=c`, { authorization: 'Bearer mine' });
    expect(answer).toMatchObject({ status: 200, text: 'fine' });
    await ask(`http://${other()}/`);
    expect(seen).toEqual([
      { url: '/a?b=c', host: api(), authorization: `Bearer ${VALUE}` },
      { url: '/', host: other(), authorization: undefined },
    ]);
    const report = proxy.egressReport(OWNER);
    expect(report.entries).toMatchObject([
      { host: 'api.test', port: portOf(secure), reason: null, secrets: ['API_TOKEN'] },
      { host: 'other.test', port: portOf(plain), reason: null },
    ]);
    expect(report.entries[1]).not.toHaveProperty('secrets');
    expect(JSON.stringify([report, proxy.status()])).not.toContain(VALUE);
  });

  it('do not get it in clear, from a host without TLS or from one with another name', async () => {
    await grant({ hosts: [`api.test:${portOf(plain)}`] });
    expect((await ask(`http://api.test:${portOf(plain)}/`)).status).toBe(502);
    await grant({ hosts: [other()] });
    expect((await ask(`http://${other()}/`)).status).toBe(502);
    expect(seen).toEqual([]);
  });

  it('say in a refusal of CONNECT how they are to be asked', async () => {
    await grant();
    expect(await through(api())).toMatch(/403[^]*secret_host[^]*http:\/\//);
  });

  it('get it also from programs that tunnel what is not TLS', async () => {
    await grant();
    const said = await through(
      'api.test:80',
      'GET /in HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(said).toContain('fine');
    expect(seen).toEqual([{ url: '/in', host: api(), authorization: `Bearer ${VALUE}` }]);
    const away = `GET http://${other()}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect(await through('api.test:80', away)).toContain('400 Bad Request');
    expect(await through('other.test:80', '')).toContain('host_not_allowed');
    expect(seen).toHaveLength(1);
  });

  it('are for reading unless the grant says otherwise', async () => {
    await grant();
    const refused = await ask(`http://${api()}/`, { method: 'DELETE' });
    expect(refused).toMatchObject({
      status: 403,
      headers: { 'x-switchyard-refused': 'read_only_host' },
    });
    expect(seen).toEqual([]);
    await grant({ writes: true });
    expect((await ask(`http://${api()}/`, { method: 'DELETE' })).status).toBe(200);
  });

  it('are not asked without it when it is not stored', async () => {
    await grant({}, { values: {} });
    const refused = await ask(`http://${api()}/`);
    expect(refused).toMatchObject({
      status: 403,
      headers: { 'x-switchyard-refused': 'secret_missing' },
    });
    expect(seen).toEqual([]);
  });

  it('cannot show it to the container, not even in an encoded answer', async () => {
    handler = (request, response) => {
      const { authorization = '' } = request.headers;
      const isPacked = request.url === '/packed';
      const body = `you said ${authorization}`;
      response.setHeader('x-echo', authorization);
      if (isPacked) response.setHeader('content-encoding', 'gzip');
      response.end(isPacked ? gzipSync(body) : body);
    };
    await grant();
    for (const path of ['/', '/packed']) {
      const answer = await ask(`http://${api()}${path}`);
      expect(answer.text).toBe(`you said Bearer ${STARS}`);
      expect(answer.headers['x-echo']).toBe(`Bearer ${STARS}`);
      expect(answer.headers).not.toHaveProperty('content-encoding');
    }
  });

  it('lead elsewhere only without it', async () => {
    handler = (request, response) => {
      const to = request.url === '/away' ? `http://${other()}/` : `https://${api()}/next`;
      response.writeHead(302, { location: to }).end();
    };
    await grant();
    const away = await ask(`http://${api()}/away`);
    expect(away.headers.location).toBe(`http://${other()}/`);
    expect((await ask(`http://${api()}/`)).headers.location).toBe(`http://${api()}/next`);
    await ask(away.headers.location ?? '');
    expect(seen.at(-1)).toMatchObject({ host: other(), authorization: undefined });
  });

  it('are the only ones that get it, also when the path looks like another host', async () => {
    await grant();
    const inside = 'GET //198.51.100.7/c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    await ask(`http://${api()}//198.51.100.7/a?b=c`);
    await ask(`http://${api()}/\\198.51.100.7:8443/b`);
    await through('api.test:80', inside);
    const authorization = `Bearer ${VALUE}`;
    expect(seen).toEqual([
      { url: '//198.51.100.7/a?b=c', host: api(), authorization },
      { url: '//198.51.100.7:8443/b', host: api(), authorization },
      { url: '//198.51.100.7/c', host: api(), authorization },
    ]);
  });

  it('are seen in the log even when it is full of others', async () => {
    await grant();
    for (let index = 0; index < 120; index += 1) await through(`h${index}.test:443`);
    await ask(`http://${api()}/`);
    const { entries } = proxy.egressReport(OWNER);
    expect(entries.filter(({ secrets }) => secrets !== undefined)).toHaveLength(1);
  });
});
