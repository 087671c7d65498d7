import { existsSync } from 'node:fs';
import { chown, lstat, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineOperation } from '@switchyard/shared/protocol/engine-operations';
import { describe, expect, it } from 'vitest';
import type { WorkIdentity } from '../container/container-engine.ts';
import { oddEngine } from '../engine/codex/testing/odd-engine.ts';
import { prepareOperatorHome } from './operator-home.ts';
import { ask, pidOf, useOperators } from './testing/use-operators.ts';

const rig = useOperators();

describe('the home of an operator engine', { timeout: 60_000 }, () => {
  const keep = async (key: string, name: string, text: string) => {
    const folder = join(rig.dataDir, 'sessions', key, '2026', '01');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), text);
  };
  const brought = (name: string) =>
    join(rig.dataDir, 'operator', 'home', 'codex', 'sessions', '2026', '01', name);
  const list: EngineOperation = { op: 'threads.list' };

  it('has the sessions that attempts left, also those of later', async () => {
    await keep('sy-1', 'a.jsonl', 'one');
    const operator = rig.operatorOf(oddEngine('works'));
    const first = pidOf(await ask(operator, list));
    expect(await readFile(brought('a.jsonl'), 'utf8')).toBe('one');
    expect(pidOf(await ask(operator, list))).toBe(first);
    await keep('sy-1', 'a.jsonl', 'one and more');
    await keep('sy-2', 'b.jsonl', 'two');
    await ask(operator, list);
    expect(await readFile(brought('a.jsonl'), 'utf8')).toBe('one and more');
    expect(await readFile(brought('b.jsonl'), 'utf8')).toBe('two');
  });

  it('is written through no link that an engine left, and brings in none', async () => {
    const victim = join(rig.dataDir, 'victim');
    await mkdir(victim);
    await writeFile(join(victim, 'config.toml'), 'mine');
    await mkdir(join(rig.dataDir, 'operator', 'home', 'codex'), { recursive: true });
    await symlink(victim, join(rig.dataDir, 'operator', 'home', 'codex', 'sessions'));
    await symlink(
      join(victim, 'config.toml'),
      join(rig.dataDir, 'operator', 'home', 'codex', 'config.toml'),
    );
    await keep('sy-1', 'a.jsonl', 'one');
    await symlink('/etc/passwd', join(rig.dataDir, 'sessions', 'sy-1', '2026', '01', 'link.jsonl'));
    await ask(rig.operatorOf(oddEngine('works')), list);
    expect(await readFile(join(victim, 'config.toml'), 'utf8')).toBe('mine');
    expect(existsSync(join(victim, '2026'))).toBe(false);
    expect((await lstat(brought('a.jsonl'))).isFile()).toBe(true);
    expect(existsSync(brought('link.jsonl'))).toBe(false);
  });

  it.runIf(process.getuid?.() === 0)(
    'belongs to whom it is for at each start, in and out of containers, with all that is in it',
    async () => {
      await keep('sy-1', 'a.jsonl', 'one');
      const launch = oddEngine('works').launch({
        model: 'm',
        providerBaseUrl: 'http://127.0.0.1:1/v1',
        wireApi: 'responses',
        proxyToken: 't',
        homePath: '/home/x',
        workspacePath: null,
        sandboxed: true,
      });
      const outside = join(rig.dataDir, 'outside');
      await writeFile(outside, 'mine');
      const inContainer = { uid: 10_001, gid: 10_001 };
      const ownersFor = async (identity: WorkIdentity) => {
        const path = await prepareOperatorHome(rig.dataDir, { launch, identity });
        const names = await readdir(path, { recursive: true });
        const all = await Promise.all(names.map((name) => lstat(join(path, name))));
        return new Set([await lstat(path), ...all].map(({ uid, gid }) => `${uid}:${gid}`));
      };
      const own = { uid: 0, gid: 0 };
      expect(await ownersFor(own)).toEqual(new Set(['0:0']));
      // As a version left it that owned the folder and not what is in it.
      const home = join(rig.dataDir, 'operator', 'home');
      await chown(home, inContainer.uid, inContainer.gid);
      expect(await ownersFor(inContainer)).toEqual(new Set(['10001:10001']));
      expect(await ownersFor(own)).toEqual(new Set(['0:0']));
      await symlink(outside, join(home, 'link'));
      expect(await ownersFor(inContainer)).toEqual(new Set(['10001:10001']));
      expect((await lstat(outside)).uid).toBe(0);
    },
  );

  it('gets no session back that an operator archived', async () => {
    await keep('sy-1', 'a.jsonl', 'one');
    const archive = join(rig.dataDir, 'operator', 'home', 'codex', 'archived_sessions');
    await mkdir(archive, { recursive: true });
    await writeFile(join(archive, 'a.jsonl'), 'one');
    await ask(rig.operatorOf(oddEngine('works')), list);
    expect(existsSync(brought('a.jsonl'))).toBe(false);
  });
});
