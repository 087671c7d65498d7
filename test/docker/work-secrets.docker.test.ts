import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { filesWith } from '../support/e2e/files-with.ts';
import { ownContainers } from '../support/e2e/own-containers.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { selfSigned } from '../support/github/self-signed.ts';

const SECRET = `wsec-${randomBytes(16).toString('hex')}`;
/** Loopback addresses that no program takes for its own: they are asked through the proxy. */
const [NAMED, OTHER] = ['127.0.0.2', '127.0.0.3'];

type Seen = { host: string; authorization: string | undefined };

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function listen(server: Server, host: string): Promise<void> {
  return new Promise((resolve) => server.listen(0, host, resolve));
}

describe('a secret that is granted to a repository', () => {
  let folder: string;
  let bench: Bench;
  let named: Server;
  let other: Server;
  const seen: Seen[] = [];
  let script: ReadyScript = () => say('No.\n\nSWITCHYARD_STATUS: DONE');
  /** Runs while the container waits for the named host's answer. */
  let meanwhile: () => Promise<void> = () => Promise.resolve();
  let looked: Promise<void> | null = null;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-work-secret-'));
    const { key, cert, certPath } = await selfSigned(folder, `IP:${NAMED}`);
    const handler: RequestListener = (request, response) => {
      const { host = '', authorization } = request.headers;
      seen.push({ host, authorization });
      const answer = () => response.end(`heard ${String(authorization)}`);
      if (!host.startsWith(NAMED)) return answer();
      looked = meanwhile();
      looked.then(answer, answer);
    };
    named = createTlsServer({ key, cert }, handler);
    other = createServer(handler);
    await listen(named, NAMED);
    await listen(other, OTHER);
    const [target, neighbour] = [`${NAMED}:${portOf(named)}`, `${OTHER}:${portOf(other)}`];
    bench = await startBench({
      script: (request) => script(request),
      sandbox: 'docker',
      config: {
        'agent.maxContinuationAttempts': 0,
        'engine.sandbox.network': 'custom',
        'engine.sandbox.allowedHosts': JSON.stringify([neighbour]),
      },
      flags: ['--allow-private-host', target, neighbour],
      env: { NODE_EXTRA_CA_CERTS: certPath },
    });
    const { client, repository } = bench;
    await client.must('POST', '/secrets/WORK_TOKEN', { value: SECRET });
    await client.must('POST', '/setup/repo-route', {
      label: 'granted',
      url: repository.url,
      secrets: [{ secret: '$SECRET:WORK_TOKEN', hosts: [target] }],
    });
    // Port 80 of a host that gets a secret means where it speaks TLS.
    const ask = (url: string) =>
      `node -e 'fetch("${url}").then(async (r) => console.log("ASKED", r.status, await r.text()), (e) => console.log("FAILED", e.cause?.message))' 2>/dev/null`;
    const look = [
      ...[`http://${NAMED}/`, `http://${neighbour}/`, `https://${target}/`].map(ask),
      'echo LOOKED; env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n"',
      'cat ~/.codex/* $CODEX_HOME/*.toml $CODEX_HOME/*.json 2>/dev/null | head -c 20000',
    ];
    script = ({ stepIndex }) =>
      stepIndex === 0 ? exec(look.join('; '), 120_000) : say('I asked.\n\nSWITCHYARD_STATUS: DONE');
  });
  afterAll(async () => {
    await bench?.close();
    for (const server of [named, other]) {
      server?.closeAllConnections();
      server?.close();
    }
    await rm(folder, { recursive: true, force: true });
  });

  async function attemptOf(issue: { title: string; labels?: string[] }) {
    const { client, provider } = bench;
    const { identifier } = await client.createIssue(issue);
    const settled = await client.settled(identifier);
    expect(settled, settled.reason ?? '').toMatchObject({ status: 'completed' });
    const asked = provider.requests.filter(({ userTexts }) =>
      userTexts.join().includes(identifier),
    );
    const attempt = await client.attempt(settled.attempts[0]?.attemptId ?? '');
    return { told: asked.at(-1)?.toolOutputs.join('\n') ?? '', events: attempt.events };
  }

  it('reaches the named host and is nowhere in the container, its files or the record', async () => {
    const { client } = bench;
    let inside: { containers: string; files: string[] } | null = null;
    meanwhile = async () => {
      const runnerId = (await client.runners())[0]?.runnerId ?? '';
      const containers = await ownContainers({ runnerId });
      const mounts = containers.flatMap((container) => container.mounts);
      const files = await Promise.all(mounts.map((path) => filesWith(path, SECRET)));
      const found = await Promise.all(mounts.map((path) => filesWith(path, 'scripted-model')));
      expect(found.flat(), 'the search finds what is there').not.toEqual([]);
      inside = { containers: JSON.stringify(containers), files: files.flat() };
    };
    const { told, events } = await attemptOf({ title: 'Ask around', labels: ['granted'] });
    expect(told).toContain(`ASKED 200 heard Bearer ${'*'.repeat(SECRET.length)}`);
    expect(told).toContain('ASKED 200 heard undefined');
    expect(told.match(/^FAILED/gm), 'the tunnel was refused').toHaveLength(1);
    expect(told).toContain('LOOKED');
    const refused = events.filter(({ data }) => data['kind'] === 'egress_refused');
    expect(JSON.stringify(refused)).toContain('"reason":"secret_host"');
    expect(seen).toEqual([
      { host: `${NAMED}:${portOf(named)}`, authorization: `Bearer ${SECRET}` },
      { host: `${OTHER}:${portOf(other)}`, authorization: undefined },
    ]);
    await looked;
    expect(inside, 'somebody looked while the container ran').toMatchObject({ files: [] });
    expect(JSON.stringify(inside)).not.toContain(SECRET);
    const allowed = events.filter(({ data }) => data['kind'] === 'egress_allowed');
    expect(JSON.stringify(allowed)).toContain('"secrets":["WORK_TOKEN"]');
    const said = told + JSON.stringify(events) + bench.service.output();
    expect(said.includes(SECRET), 'the secret in words of agent, record or log').toBe(false);
    // Database, journal, spool, sessions, logs of runner and proxy.
    expect(await filesWith(bench.folder, 'WORK_TOKEN'), 'the search finds names').not.toEqual([]);
    expect(await filesWith(bench.folder, SECRET)).toEqual([]);
    const read = (await client.audit()).filter(({ operation }) => operation === 'secret.read');
    expect(JSON.stringify(read)).toContain('WORK_TOKEN');
  });

  it('is not there for work that came another way to the same repository', async () => {
    meanwhile = () => Promise.resolve();
    seen.length = 0;
    const { told, events } = await attemptOf({ title: 'Ask around again' });
    expect(told.match(/^FAILED/gm), 'both ways were refused').toHaveLength(2);
    expect(seen).toEqual([{ host: `${OTHER}:${portOf(other)}`, authorization: undefined }]);
    expect(JSON.stringify(events)).toContain(`"host":"${NAMED}"`);
  });
});
