import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packSession, unpackSession } from './pack-session.ts';

const SWAPPER = fileURLToPath(new URL('../../agent-files/testing/swap-paths.mjs', import.meta.url));
const NAME = 'rollout-thread-1.jsonl';
const SECRET = 'words of this host';
const TRIES = 100;

let root = '';
const at = (...names: string[]) => join(root, ...names);
const put = async (text: string, ...names: string[]) => {
  await mkdir(at(...names, '..'), { recursive: true });
  await writeFile(at(...names), text);
};
const contentsOf = (packed: Uint8Array | null) => {
  const { files } = JSON.parse(gunzipSync(packed ?? '').toString()) as {
    files: { path: string; base64: string }[];
  };
  return files.map(({ path, base64 }) => [path, Buffer.from(base64, 'base64').toString()]);
};

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'swy-sessions-'));
  await put(SECRET, 'secret', NAME);
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('a session archive', () => {
  it('brings the files of one thread to another host', async () => {
    await put('one\n', 'from', '2026', NAME);
    await put('other\n', 'from', '2026', 'rollout-thread-2.jsonl');
    const packed = await packSession(at('from'), 'thread-1');
    await mkdir(at('to'));
    await unpackSession(packed ?? new Uint8Array(), at('to'));
    expect(await readFile(at('to', '2026', NAME), 'utf8')).toBe('one\n');
    expect(existsSync(at('to', '2026', 'rollout-thread-2.jsonl'))).toBe(false);
  });

  it('of a database comes as a whole, or not at all where a larger one is', async () => {
    await put('pages', 'from', 'sessions.db');
    await put('log of pages', 'from', 'sessions.db-wal');
    await put('lines', 'from', 'log', 'today.log');
    const packed = (await packSession(at('from'), null)) ?? new Uint8Array();
    expect(contentsOf(packed).map(([path]) => path)).toEqual(['sessions.db', 'sessions.db-wal']);
    await put('older pages', 'to', 'sessions.db');
    await put('x', 'to', 'sessions.db-shm');
    await unpackSession(packed, at('to'), { together: true });
    expect((await readdir(at('to'))).toSorted()).toEqual(['sessions.db', 'sessions.db-wal']);
    expect(await readFile(at('to', 'sessions.db'), 'utf8')).toBe('pages');
    await put('pages that grew since then', 'to', 'sessions.db');
    await unpackSession(packed, at('to'), { together: true });
    expect(await readFile(at('to', 'sessions.db'), 'utf8')).toBe('pages that grew since then');
  });

  it('has no word of this host, whatever is swapped for a link while it is read', async () => {
    const words = [at('from'), NAME, at('secret', NAME), at('secret')];
    const agent = spawn(process.execPath, [SWAPPER, ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(agent.stdout, 'data');
      let honest = 0;
      for (let tried = 0; tried < TRIES; tried += 1) {
        const packed = await packSession(at('from'), 'thread-1').catch(() => null);
        const texts = packed === null ? [] : contentsOf(packed).map(([, text]) => text);
        expect(texts).not.toContain(SECRET);
        honest += texts.filter((text) => text === 'honest\n').length;
      }
      expect(honest, 'what the agent really wrote is read').toBeGreaterThan(0);
    } finally {
      agent.kill('SIGKILL');
      await once(agent, 'exit');
    }
  });

  it('is not written through a folder that turned into a link', async () => {
    await put('one\n', 'from', '2026', NAME);
    await mkdir(at('victim'));
    await mkdir(at('to'));
    await symlink(at('victim'), at('to', '2026'));
    const packed = (await packSession(at('from'), 'thread-1')) ?? new Uint8Array();
    await unpackSession(packed, at('to')).catch(() => undefined);
    expect(existsSync(at('victim', NAME))).toBe(false);
    await symlink(at('victim', 'made'), at('from', `x-${NAME}`));
    expect(contentsOf(await packSession(at('from'), 'thread-1'))).toEqual([
      [`2026/${NAME}`, 'one\n'],
    ]);
  });

  it('is given up for a file that is longer than any session', async () => {
    await put('', 'from', NAME);
    await truncate(at('from', NAME), 2 ** 40);
    expect(await packSession(at('from'), 'thread-1')).toBeNull();
  });
});
