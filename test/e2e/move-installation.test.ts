import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { everythingOf } from '../support/e2e/everything-of.ts';
import { filesWith } from '../support/e2e/files-with.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { type RunningService, startService } from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';
import { sqldPart } from '../support/sqld/sqld-part.ts';
import { type Sqld, startSqld } from '../support/sqld/start-sqld.ts';

const EXIT = { done: 0, failed: 1, usage: 2, notConfigured: 3 };
const SECRET = 'sk-moves-along-and-stays-hidden';

// One installation is moved to a server and back: the order matters.
describe.skipIf(!sqldPart().available)('an installation that is moved', () => {
  let bench: Bench;
  let server: Sqld;
  let moved: RunningService | null = null;
  let seen: Awaited<ReturnType<typeof everythingOf>>;
  const remoteKey = randomBytes(32).toString('base64');

  beforeAll(async () => {
    server = await startSqld();
    bench = await startBench({ script: fixFailingTest() });
  });
  afterAll(async () => {
    await moved?.kill();
    await bench?.close();
    await server?.stop();
  });

  const data = (args: string[], env: Record<string, string> = {}) =>
    switchyard(['data', ...args], bench.folder, {
      SERVICE_DATABASE_URL: server.url,
      SERVICE_DATABASE_TOKEN: server.token,
      SERVICE_REMOTE_MASTER_KEY: remoteKey,
      ...env,
    });
  const from = () => ['--data-dir', bench.service.dataDir];

  it('is refused while it runs', async () => {
    const { client } = bench;
    await client.must('POST', '/secrets/MOVED', { value: SECRET });
    await client.must('POST', '/templates', { name: 'Mine', body: 'Do {{ issue.title }}' });
    await client.must('PATCH', '/config/overlay/agent.maxTurns', { value: 7 });
    await client.createIssue({ title: 'Fix the failing test' });
    expect(await client.settled('SY-1')).toMatchObject({ status: 'completed' });
    const refused = await data(['export', ...from()]);
    expect(refused.code, refused.stderr).toBe(EXIT.failed);
    expect(refused.stderr).toContain('is in use by switchyard start (');
    await bench.service.stop();
    // The last word of the service itself: what it shows from now on must be the same elsewhere.
    await bench.restart();
    seen = await everythingOf(bench.client);
    await bench.service.stop();
  });

  it('says what is missing, and takes no token where others could read it', async () => {
    const none = await data(['export', ...from()], { SERVICE_DATABASE_URL: '' });
    expect([none.code, none.stderr]).toEqual([EXIT.notConfigured, expect.stringMatching('which')]);
    const noKey = await data(['export', ...from()], { SERVICE_REMOTE_MASTER_KEY: '' });
    expect(noKey.code).toBe(EXIT.notConfigured);
    expect(noKey.stderr).toContain('SERVICE_REMOTE_MASTER_KEY');
    const inAddress = await data(['export', '--remote', 'http://127.0.0.1:1/?authToken=x']);
    expect(inAddress.code).toBe(EXIT.usage);
    const wrongToken = await data(['export', ...from()], { SERVICE_DATABASE_TOKEN: 'no' });
    expect(wrongToken.code, wrongToken.stderr).toBe(EXIT.failed);
    expect(wrongToken.stderr).toContain(server.url);
    const help = await data(['export', '--help']);
    expect([help.code, help.stdout]).toEqual([EXIT.done, expect.stringMatching('Exit codes')]);
  });

  it('is the same on the server, and in another folder when it comes back', async () => {
    const out = await data(['export', ...from(), '--json']);
    expect(out.code, out.stderr).toBe(EXIT.done);
    expect(JSON.parse(out.stdout).tables).toContainEqual(
      expect.objectContaining({ name: 'issues', rows: 1 }),
    );
    const again = await data(['export', ...from()]);
    expect([again.code, again.stderr]).toEqual([EXIT.failed, expect.stringContaining('issues 1')]);
    const dataDir = join(bench.folder, 'moved');
    const back = await data(['import', '--data-dir', dataDir]);
    expect(back.code, back.stderr).toBe(EXIT.done);
    expect(back.stderr).toMatch(/copying issues: 1 of 1 rows/);
    for (const output of [out, back]) expect(JSON.stringify(output)).not.toContain(remoteKey);

    const port = Number(new URL(bench.service.url).port);
    moved = await startService({ dataDir, port, args: ['--no-runner'] });
    const { client } = moved;
    expect(await everythingOf(client)).toEqual(seen);
    const audit = await client.must('GET', '/audit?verify=true');
    expect(audit).toMatchObject({ verification: { ok: true, firstBroken: null } });
    expect(await filesWith(dataDir, SECRET)).toEqual([]);
    // It opens the secrets with its own key, or it would not have started.
    const rotated = await client.must<{ reencrypted: number }>('POST', '/master-key/rotate');
    expect(rotated.reencrypted).toBeGreaterThan(0);
  });
});
