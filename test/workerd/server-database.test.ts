import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openServerDatabase } from '../../control-plane/src/platform/node/database/open-server-database.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';
import { type RunningService, startService } from '../support/e2e/start-service.ts';
import { until } from '../support/e2e/until.ts';
import { type Sqld, startSqld } from '../support/sqld/start-sqld.ts';

const MASTER_KEY = '0123456789abcdef'.repeat(4);
const JOIN_TOKEN = `enr_${'given-by-the-installer-'.repeat(2)}`;

let sqld: Sqld;
let folder: string;
let services: RunningService[];

beforeEach(async () => {
  sqld = await startSqld();
  folder = await mkdtemp(join(tmpdir(), 'swy-server-database-'));
  services = [];
});
afterEach(async () => {
  for (const service of services) await service.kill();
  await sqld.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** A control plane without files of its own but what it is told: its secrets are files. */
async function startOn(name: string): Promise<RunningService> {
  const secrets = {
    SERVICE_DATABASE_TOKEN: sqld.token,
    SERVICE_MASTER_KEY: MASTER_KEY,
    SERVICE_JOIN_TOKEN: JOIN_TOKEN,
  };
  const env: Record<string, string> = { SERVICE_DATABASE_URL: sqld.url };
  for (const [variable, value] of Object.entries(secrets)) {
    env[`${variable}_FILE`] = join(folder, variable);
    await writeFile(join(folder, variable), `${value}\n`, { mode: 0o600 });
  }
  const service = await startService({ dataDir: join(folder, name), args: ['--no-runner'], env });
  services.push(service);
  return service;
}

/** As a load balancer asks: 200 of the instance that leads, 503 of the others. */
const readiness = (service: RunningService) =>
  service.client.ask('GET', '/readyz?leads=true').then(({ status }) => status);

/** What a runner is told that brings this token and nothing else. */
async function joinWith(service: RunningService, token: string): Promise<number> {
  const { status } = await service.client.send('/api/v1/runners/join', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  return status;
}

describe('control planes on a libSQL server', () => {
  it('start at once on an empty one; the standby goes on when the leader is killed', async () => {
    const [first, second] = await Promise.all([startOn('one'), startOn('two')]);
    expect(new Set([await readiness(first), await readiness(second)])).toEqual(new Set([200, 503]));
    expect((await second.client.ask('GET', '/readyz')).status).toBe(200);
    const [leader, standby] = (await readiness(first)) === 200 ? [first, second] : [second, first];
    const { identifier } = await leader.client.createIssue({ title: 'Kept on the server' });
    await leader.stop('SIGKILL');
    await until(
      () => readiness(standby),
      (status) => status === 200,
      { what: 'the standby to lead', timeoutMs: 60_000 },
    );
    expect(await standby.client.issue(identifier)).toMatchObject({ title: 'Kept on the server' });
    // The token that was given is known: with it only the empty request is refused.
    expect(await joinWith(standby, JOIN_TOKEN)).toBe(400);
    expect(await joinWith(standby, `${JOIN_TOKEN}x`)).toBe(401);
    // A copy of a server's database is the server's business.
    expect((await standby.client.ask('POST', '/api/v1/backup')).status).toBe(405);
  });

  it('answer 503 with the cause while it is away, and store nothing then', async () => {
    const service = await startOn('one');
    const { client } = service;
    await sqld.stop();
    const asked = await client.ask('POST', '/api/v1/local/issues', { title: 'Not stored' });
    expect(asked).toMatchObject({ status: 503, body: { code: 'database_away' } });
    expect(asked.headers.get('retry-after')).toBe('5');
    expect(JSON.stringify(asked.body)).toContain('cannot be reached');
    expect(JSON.stringify(asked.body)).not.toContain(sqld.token);
    expect((await client.ask('GET', '/api/v1/state')).status).toBe(503);
  });

  it('say what to do about a token that is refused and a server that is away', async () => {
    await expect(
      openServerDatabase({ url: sqld.url, authToken: 'wrong' }, MIGRATIONS, 0),
    ).rejects.toThrow('refuses the token: set SERVICE_DATABASE_TOKEN to one that may write');
    await expect(openServerDatabase({ url: 'http://127.0.0.1:9' }, MIGRATIONS, 0)).rejects.toThrow(
      /does not answer .*: start it, or correct SERVICE_DATABASE_URL/,
    );
  });
});
