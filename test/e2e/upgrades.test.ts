import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../control-plane/cli/client/exit.ts';
import { DATABASE_FILE } from '../../control-plane/src/platform/node/backup/take-backup.ts';
import { repositoryRoot, runnerConnected, startService } from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';
import { FIXTURE_MASTER_KEY } from '../support/upgrades/fixture-facts.ts';
import { FIXTURES, rowsOfFile, runOnFile, writeFixture } from '../support/upgrades/open-fixture.ts';

const OLDEST = FIXTURES[0] ?? '';
const NEWEST = FIXTURES.at(-1) ?? '';
const ENVIRONMENT = { SERVICE_MASTER_KEY: FIXTURE_MASTER_KEY };
/** A version that does not exist yet, and the schema it would have. */
const LATER = { version: '9.9.9+fedcba98', schema: '0099_later', schemaAtMs: 9_999_999_999_999 };
const NOBODY = ['--url', 'http://127.0.0.1:9'];

let folder: string;
/** As this checkout was built. */
let version: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-upgrades-'));
  version = (await switchyard(['--version'], folder)).stdout.trim();
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

/** Every file of a folder with its bytes; what SQLite shares between processes that have it open aside. */
async function filesOf(dataDir: string): Promise<Record<string, string>> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  // The lock of a folder stays with it, empty.
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'holder.lock');
  const contents = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, (await readFile(path)).toString('base64')] as const;
    }),
  );
  const isShared = ([path, bytes]: readonly [string, string]) =>
    path.endsWith('-shm') || (path.endsWith('-wal') && bytes === '');
  return Object.fromEntries(contents.filter((entry) => !isShared(entry)));
}

/** A data folder that a later version has used. */
async function laterFolder(name: string, opened: unknown = LATER): Promise<string> {
  const dataDir = join(folder, name);
  const path = await writeFixture(NEWEST, dataDir);
  runOnFile(
    path,
    `INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('later', ${LATER.schemaAtMs});
     INSERT INTO facts VALUES ('version', '${JSON.stringify(opened)}', 1);
     CREATE TABLE later (id integer)`,
  );
  return dataDir;
}

/** Starts a service that is expected to refuse. */
const start = (dataDir: string) =>
  switchyard(
    ['start', '--no-runner', '--no-open', '--port', '0', '--data-dir', dataDir],
    folder,
    ENVIRONMENT,
  );

describe('the version', () => {
  it('carries the commit that was built, and says so everywhere', async () => {
    const { version: released } = JSON.parse(
      readFileSync(join(repositoryRoot, 'package.json'), 'utf8'),
    ) as { version: string };
    const [, commit = ''] = /\+([0-9a-f]{8})(?:\.dirty)?$/.exec(version) ?? [];
    expect(version.split('+', 1)).toEqual([released]);
    // HEAD may have moved on since the build.
    const hasGit = existsSync(join(repositoryRoot, '.git'));
    const kind = () =>
      execFileSync('git', ['cat-file', '-t', commit], { cwd: repositoryRoot, encoding: 'utf8' });
    expect(hasGit ? kind().trim() : version).toBe(hasGit ? 'commit' : released);
    const runner = await switchyard(
      ['--version'],
      folder,
      {},
      {
        program: join(repositoryRoot, 'dist/lib/runner.js'),
      },
    );
    expect(runner.stdout.trim()).toBe(version);
    const service = await startService({ dataDir: join(folder, 'version') });
    try {
      await runnerConnected(service);
      const { version: served } = await service.client.must<{ version: string }>('GET', '/runtime');
      expect(served).toBe(version);
      const runners = await service.client.runners();
      expect(runners.map((row) => row.version)).toEqual([version]);
      const [first = ''] = service.output().split('\n');
      expect(first).toContain(`version=${version}`);
    } finally {
      await service.stop();
    }
  });
});

describe('the first start after an upgrade', () => {
  it('says in one line from what to what, where the copy lies, and how to go back', async () => {
    const dataDir = join(folder, 'former');
    const path = await writeFixture(OLDEST, dataDir);
    const before = await rowsOfFile(path);
    const begin = () => startService({ dataDir, args: ['--no-runner'], env: { ...ENVIRONMENT } });
    const service = await begin();
    const told = service
      .output()
      .split('\n')
      .filter((line) => line.includes('brought'));
    await service.stop();
    expect(told).toHaveLength(1);
    const [copy = ''] = await readdir(join(dataDir, 'backups'));
    const copyPath = join(dataDir, 'backups', copy);
    for (const words of [
      `(schema ${OLDEST}) to ${version} (schema ${NEWEST})`,
      'everything in it is kept',
      `the copy from before is ${copyPath}`,
      `backup --data-dir ${dataDir} --restore ${copyPath}`,
    ])
      expect(told[0]).toContain(words);
    const again = await begin();
    expect(again.output()).not.toMatch(/brought|last opened/);
    await again.stop();

    const restore = ['backup', '--data-dir', dataDir, '--restore', copyPath, ...NOBODY];
    const restored = await switchyard(restore, folder);
    expect(restored.code, restored.stderr).toBe(EXIT.done);
    expect(await rowsOfFile(path)).toEqual(before);
  });

  it('names the version before where the schema stays, and needs no copy', async () => {
    const dataDir = join(folder, 'same-schema');
    const path = await writeFixture(NEWEST, dataDir);
    runOnFile(
      path,
      `INSERT INTO facts SELECT 'version', json_object('version', '0.1.0+01234567',
         'schema', '${NEWEST}', 'schemaAtMs', max(created_at)), 1 FROM __drizzle_migrations`,
    );
    const service = await startService({ dataDir, args: ['--no-runner'], env: ENVIRONMENT });
    expect(service.output()).toContain(
      `was last opened by 0.1.0+01234567 and is used by ${version} now`,
    );
    await service.stop();
    expect(await readdir(dataDir)).not.toContain('backups');
  });

  it('keeps five copies, and changes nothing when it cannot make one', async () => {
    const dataDir = join(folder, 'no-room');
    const path = await writeFixture(OLDEST, dataDir);
    // Where the copies should lie is a file.
    await writeFile(join(dataDir, 'backups'), '');
    const before = await filesOf(dataDir);
    const refused = await start(dataDir);
    expect(refused.code).toBe(EXIT.failed);
    expect(refused.stderr).toContain('is as it was: it has to be copied before');
    expect(await filesOf(dataDir)).toEqual(before);
    await rm(join(dataDir, 'backups'));
    await mkdir(join(dataDir, 'backups'));
    await writeFile(join(dataDir, 'backups', 'switchyard-upgrade-x.db.partial'), 'half of a copy');
    for (let round = 0; round < 7; round += 1) {
      for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true });
      await writeFixture(OLDEST, dataDir);
      // Copies of the same bytes are one.
      runOnFile(path, `INSERT INTO facts VALUES ('round', '${round}', 1)`);
      const ended = await switchyard(
        ['upgrade', '--no-pull', '--data-dir', dataDir, ...NOBODY],
        folder,
      );
      expect(ended.code, ended.stderr).toBe(EXIT.done);
    }
    expect(await readdir(join(dataDir, 'backups'))).toHaveLength(5);
  });
});

describe('a database of a newer version', () => {
  const named = [LATER.version, LATER.schema, NEWEST, 'Nothing was changed', 'backup'];

  it('is refused by name, and its folder is left as it is', async () => {
    const dataDir = await laterFolder('later');
    const before = await filesOf(dataDir);
    const target = join(folder, 'target.db');
    const commands = [
      () => start(dataDir),
      () => switchyard(['upgrade', '--no-pull', '--data-dir', dataDir, ...NOBODY], folder),
      () =>
        switchyard(['data', 'export', '--data-dir', dataDir, '--remote', `file:${target}`], folder),
    ];
    for (const command of commands) {
      const refused = await command();
      expect(refused.code, refused.stderr).toBe(EXIT.failed);
      for (const words of [...named, version]) expect(refused.stderr).toContain(words);
      expect(await filesOf(dataDir)).toEqual(before);
    }
    expect(existsSync(target) ? readFileSync(target, 'utf8') : '').toBe('');
    const found = await switchyard(['doctor', '--data-dir', dataDir, ...NOBODY], folder);
    expect(found.stdout).toContain(LATER.version);
  });

  it('is no copy that can be restored, nor what a Worker is deployed on', async () => {
    const later = join(await laterFolder('later-copy'), DATABASE_FILE);
    const dataDir = join(folder, 'present');
    await writeFixture(NEWEST, dataDir);
    const before = await filesOf(dataDir);
    const restored = await switchyard(
      ['backup', '--data-dir', dataDir, '--restore', later, ...NOBODY],
      folder,
    );
    expect(restored.code).toBe(EXIT.failed);
    for (const words of named) expect(restored.stderr).toContain(words);
    expect(await filesOf(dataDir)).toEqual(before);
    const deployed = await switchyard(['deploy', '--migrate-only', '--data-dir', dataDir], folder, {
      SERVICE_DATABASE_URL: `file:${later}`,
    });
    expect(deployed.code).toBe(EXIT.failed);
    for (const words of named) expect(deployed.stderr).toContain(words);
  });

  it('is refused without a name where it left none', async () => {
    const dataDir = await laterFolder('later-unnamed', { odd: true });
    const refused = await start(dataDir);
    expect(refused.code).toBe(EXIT.failed);
    expect(refused.stderr).toContain('is of a newer version than this');
  });
});
