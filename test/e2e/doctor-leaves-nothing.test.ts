import { createHash } from 'node:crypto';
import { lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { processesOf } from '../support/e2e/processes-of.ts';
import { startService } from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';

const TIMEOUT_MS = 180_000;
const NOBODY = ['--url', 'http://127.0.0.1:9'];

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'swy-doctor-'));
});
afterEach(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));

/** Everything below a folder: names, modes and contents. */
async function treeOf(folder: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true });
  // SQLite's index of present readers: whoever reads stands in it.
  const names = all.filter((name) => !name.endsWith('.db-shm'));
  const lines = names.toSorted().map(async (name) => {
    const path = join(folder, name);
    const { mode, mtimeMs } = await lstat(path);
    const isFile = (await lstat(path)).isFile();
    const content = isFile ? createHash('sha256').update(await readFile(path)) : null;
    return [name, mode.toString(8), isFile ? mtimeMs : '', content?.digest('hex') ?? ''].join(' ');
  });
  return Promise.all(lines);
}

/** As in a new user's shell; what is kept or made for a moment lands in the home too. */
const shell = () => ({
  HOME: home,
  TMPDIR: home,
  XDG_CACHE_HOME: '',
  XDG_STATE_HOME: '',
  XDG_CONFIG_HOME: '',
  SWITCHYARD_ENGINES: '',
  NODE_COMPILE_CACHE: '',
});

it.each([
  ['words', []],
  ['JSON', ['--json']],
])(
  'doctor makes nothing in an empty home: %s',
  async (_how, flags) => {
    const ended = await switchyard(['doctor', ...NOBODY, ...flags], home, shell());
    expect(ended.code, ended.stdout).toBe(0);
    expect(ended.stdout).toContain('does not exist yet');
    expect(await treeOf(home)).toEqual([]);
    expect(await processesOf(home)).toEqual([]);
  },
  TIMEOUT_MS,
);

it(
  'doctor changes nothing of a service that runs or is stopped, and names who holds its folder',
  async () => {
    const dataDir = join(home, 'data');
    const service = await startService({ dataDir, args: ['--no-runner'] });
    const look = (...flags: string[]) =>
      switchyard(['doctor', '--data-dir', dataDir, ...flags], home, shell());
    try {
      const { stdout } = await look();
      expect(stdout).toContain(`ok    service: ${service.url} is ready`);
      const words = `by switchyard start (process ${service.pid}, ${service.url}, since `;
      expect(stdout).toContain(`ok    data folder in use: ${words}`);
    } finally {
      await service.stop();
      await service.kill();
    }
    const before = await treeOf(home);
    const { stdout } = await look(...NOBODY);
    expect(stdout).not.toContain('data folder in use');
    expect(await treeOf(home)).toEqual(before);
    expect(await processesOf(home)).toEqual([]);
  },
  TIMEOUT_MS,
);
