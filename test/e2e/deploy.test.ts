import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DataEndpoint } from '../../control-plane/cli/data/data-endpoint.ts';
import { listTables } from '../../control-plane/cli/data/list-tables.ts';
import { deployEdge, uploadEdge } from '../../control-plane/cli/deploy/deploy-edge.ts';
import {
  completeEdgeSettings,
  edgeFile,
  readEdgeSettings,
  workerSecrets,
} from '../../control-plane/cli/deploy/edge-settings.ts';
import { repositoryRoot, startService } from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';

const DRY_RUN_TIMEOUT_MS = 300_000;
const MAX_GZIP_BYTES = 520 * 1024;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-deploy-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

describe('deploy --dry-run', () => {
  beforeEach(builtDashboard, DRY_RUN_TIMEOUT_MS);

  it(
    'says what it would do, measures the Worker and changes nothing',
    async () => {
      const env = { SERVICE_DATABASE_TOKEN: 'never-to-be-shown', SERVICE_DATABASE_URL: '' };
      const args = ['deploy', '--dry-run', '--json', '--data-dir', join(folder, 'data')];
      const ended = await switchyard(args, folder, env);
      expect(ended.code, ended.stderr).toBe(0);
      const { bundle, steps } = JSON.parse(ended.stdout);
      expect(bundle.gzipBytes).toBeGreaterThan(50 * 1024);
      expect(bundle.gzipBytes).toBeLessThan(MAX_GZIP_BYTES);
      expect(steps.join('\n')).toMatch(
        /ask for SERVICE_DATABASE_URL[^]*make SERVICE_REMOTE_MASTER_KEY/,
      );
      expect(JSON.stringify(ended)).not.toContain('never-to-be-shown');
      await expect(stat(join(folder, 'data'))).rejects.toThrow('ENOENT');
    },
    DRY_RUN_TIMEOUT_MS,
  );
});

it('asks nobody where there is no terminal', async () => {
  const args = ['deploy', '--data-dir', join(folder, 'data')];
  const ended = await switchyard(args, folder, { SERVICE_DATABASE_URL: '' });
  expect([ended.code, ended.stderr]).toEqual([3, expect.stringContaining('SERVICE_DATABASE_URL')]);
});

it('keeps what it makes, and makes nothing twice', async () => {
  const given = { SERVICE_DATABASE_URL: 'libsql://db.example', SERVICE_DATABASE_TOKEN: 'a "b" $c' };
  const first = completeEdgeSettings(folder, given, { answers: {}, openReads: false });
  expect((await stat(edgeFile(folder))).mode & 0o777).toBe(0o600);
  const kept = readEdgeSettings(folder, { SERVICE_WRITE_TOKEN: '', OTHER: 'x' });
  const { SERVICE_REMOTE_MASTER_KEY: key, ...rest } = workerSecrets(kept);
  expect(key).toBeUndefined();
  expect(rest).toEqual({
    ...given,
    SERVICE_MASTER_KEY: first['SERVICE_REMOTE_MASTER_KEY'],
    SERVICE_WRITE_TOKEN: first['SERVICE_WRITE_TOKEN'],
    SERVICE_READ_TOKEN: first['SERVICE_READ_TOKEN'],
  });
  expect(completeEdgeSettings(folder, kept, { answers: {}, openReads: false })).toEqual(kept);
  expect(workerSecrets(kept, { openReads: true })['SERVICE_READ_TOKEN']).toBeNull();
});

it('keeps the number of pools for the next deployment, and takes no more than there are', async () => {
  const given = { SERVICE_DATABASE_URL: 'http://127.0.0.1:1' };
  completeEdgeSettings(folder, given, { answers: { SERVICE_RUNNER_POOLS: '7' }, openReads: false });
  const kept = readEdgeSettings(folder, {});
  expect(kept['SERVICE_RUNNER_POOLS']).toBe('7');
  expect(Object.keys(workerSecrets(kept))).not.toContain('SERVICE_RUNNER_POOLS');
  const refused = await switchyard(['deploy', '--dry-run', '--pools', '257'], folder, {});
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('from 1 to 256');
  const wrong = { SERVICE_RUNNER_POOLS: '300' };
  const args = ['deploy', '--dry-run', '--data-dir', folder];
  const unclear = await switchyard(args, folder, wrong);
  expect(unclear.code).toBe(3);
  expect(unclear.stderr).toContain('SERVICE_RUNNER_POOLS is "300"');
});

it('migrates, uploads, sets secrets where nobody sees them, and gets a join token', async () => {
  const service = await startService({ dataDir: join(folder, 'service'), args: ['--no-runner'] });
  try {
    const log = join(folder, 'wrangler.log');
    const script = join(folder, 'wrangler.mjs');
    await writeFile(script, fakeWrangler(log, service.url));
    const database = `file:${join(folder, 'remote.db')}`;
    const settings = completeEdgeSettings(
      join(folder, 'data'),
      { SERVICE_DATABASE_URL: database },
      { answers: {}, openReads: false },
    );
    vi.stubEnv('SERVICE_WRITE_TOKEN', 'never-to-be-passed');
    vi.stubEnv('SWITCHYARD_TOKEN', 'never-to-be-passed');
    const said: string[] = [];
    const deployed = await deployEdge({
      settings,
      openReads: false,
      flags: { name: 'mine', pools: 3 },
      wrangler: [process.execPath, script],
      product: join(repositoryRoot, 'dist'),
      say: (line) => said.push(line),
    });
    expect(deployed).toMatchObject({ url: service.url, joinToken: expect.any(String) });
    const calls = (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const options = ['--name', 'mine', '--var', 'SERVICE_RUNNER_POOLS:3'];
    expect(calls.map(({ args }) => args)).toEqual([
      ['deploy', '--dry-run', '--outdir', expect.any(String), ...options],
      ['deploy', '--keep-vars', ...options],
      ['secret', 'bulk', '--name', 'mine'],
    ]);
    const tokens = ['SERVICE_WRITE_TOKEN', 'SWITCHYARD_TOKEN'];
    expect(calls.flatMap(({ env }) => env).filter((name) => tokens.includes(name))).toEqual([]);
    expect(JSON.parse(calls[2].input)).toEqual(workerSecrets(settings));
    for (const secret of [settings['SERVICE_WRITE_TOKEN'], settings['SERVICE_REMOTE_MASTER_KEY']]) {
      expect(JSON.stringify([said, calls.map(({ args, env }) => [args, env])])).not.toContain(
        secret,
      );
    }
    const remote = new DataEndpoint(database);
    expect((await listTables(remote)).map(({ name }) => name)).toContain('issues');
    remote.close();
  } finally {
    vi.unstubAllEnvs();
    await service.kill();
  }
});

it('uploads and touches no secret where the build runs at Cloudflare', async () => {
  const log = join(folder, 'wrangler.log');
  const script = join(folder, 'wrangler.mjs');
  await writeFile(script, fakeWrangler(log, 'https://mine.example.workers.dev'));
  const { url } = await uploadEdge({
    flags: { name: undefined, pools: undefined },
    wrangler: [process.execPath, script],
    product: join(repositoryRoot, 'dist'),
    say: () => {},
  });
  expect(url).toBe('https://mine.example.workers.dev');
  const calls = (await readFile(log, 'utf8')).trim().split('\n');
  expect(calls.map((line) => JSON.parse(line).args)).toEqual([
    ['deploy', '--dry-run', '--outdir', expect.any(String)],
    ['deploy', '--keep-vars'],
  ]);
});

it('brings a database to this version and uploads nothing', async () => {
  const database = `file:${join(folder, 'remote.db')}`;
  const env = { SERVICE_DATABASE_URL: database, WORKERS_CI: '1' };
  const args = ['deploy', '--migrate-only', '--json', '--data-dir', join(folder, 'data')];
  const ended = await switchyard(args, folder, env);
  expect([ended.code, ended.stdout], ended.stderr).toEqual([0, '{"migrated":true}\n']);
  const remote = new DataEndpoint(database);
  expect((await listTables(remote)).map(({ name }) => name)).toContain('issues');
  remote.close();
});

it('asks on the page of the button for exactly what the Worker needs, and says how to make it', async () => {
  const example = parseEnv(await readFile(join(repositoryRoot, '.dev.vars.example'), 'utf8'));
  const complete = completeEdgeSettings(
    folder,
    { SERVICE_DATABASE_URL: 'libsql://db.example', SERVICE_DATABASE_TOKEN: 'x' },
    { answers: {}, openReads: false },
  );
  expect(Object.keys(example).toSorted()).toEqual(Object.keys(workerSecrets(complete)).toSorted());
  const manifest = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(example), 'SERVICE_RUNNER_POOLS']) {
    expect(manifest.cloudflare.bindings[name]?.description, name).toMatch(/\S/);
  }
});

/** Notes how it is called, and answers as wrangler does as far as anybody reads it. */
function fakeWrangler(log: string, url: string): string {
  return `
    import { appendFileSync, writeFileSync } from 'node:fs';
    import { text } from 'node:stream/consumers';
    const args = process.argv.slice(2);
    const input = args[0] === 'secret' ? await text(process.stdin) : null;
    const env = Object.keys(process.env).filter((name) => /^(SERVICE|SWITCHYARD)_/.test(name));
    appendFileSync(${JSON.stringify(log)}, JSON.stringify({ args, input, env }) + '\\n');
    const out = args.indexOf('--outdir');
    if (out > 0) writeFileSync(args[out + 1] + '/worker.js', 'export default {};');
    else console.log('Uploaded mine\\nDeployed mine triggers (see https://example.com/docs)\\n  ${url}');
  `;
}
