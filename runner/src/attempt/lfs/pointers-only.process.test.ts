import { createHash } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FakeTurn } from '../testing/fake-engine.ts';
import { limits, useHost } from '../testing/use-host.ts';

const rig = useHost();
const { finished, payloads, workspace } = rig;

const ATTRIBUTES = '*.bin filter=lfs diff=lfs merge=lfs -text\n';
const pointerTo = (content: string): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(content).digest('hex')}\nsize ${content.length}\n`;

const edit = (name: string, text: string): Promise<void> =>
  rig.world.fixture.write(join(workspace(), name), text);
const turns = (): FakeTurn[] => rig.world.engine.sessions.at(-1)?.turns ?? [];
const told = (turn: number): string => turns()[turn - 1]?.input.text ?? '';
const delivered = (branch = ''): string[] =>
  rig.world.fixture
    .git(rig.world.fixture.remotePath, 'ls-tree', '-r', '-z', '--name-only', branch)
    .split('\0');

/** An image in which git has no command `lfs`, whatever this machine has. */
async function withoutLfs(): Promise<void> {
  const folder = join(rig.world.fixture.folder, 'no-lfs');
  await rig.world.fixture.write(join(folder, 'git-lfs'), '#!/bin/sh\nexit 127\n');
  await chmod(join(folder, 'git-lfs'), 0o755);
  const path = `${folder}:${process.env['PATH'] ?? ''}`;
  rig.world.containers.prepareCommand = (spec) => ({ ...spec, env: { ...spec.env, PATH: path } });
}

function agent(...steps: (() => Promise<unknown>)[]): void {
  rig.world.engine.script = async (turn: FakeTurn) => {
    await steps[turn.number - 1]?.();
    turn.message('Finished.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
  rig.offer({ limits: { ...limits, maxTurns: 8 } });
}

const NOTICE = 'This repository keeps files in Git LFS';
const noticesOf = (words: string): string[] =>
  payloads('notice').flatMap(({ message }) =>
    String(message).includes(words) ? [String(message)] : [],
  );

describe('a repository with Git LFS and an image without git-lfs', { timeout: 60_000 }, () => {
  const files = { '.gitattributes': ATTRIBUTES, 'art/old.bin': pointerTo('old content\n') };

  it('has a notice in its log, and the agent is told so first', async () => {
    await withoutLfs();
    await rig.world.fixture.commitOnRemote('main', files);
    agent(() => edit('work.txt', 'done\n'));
    expect((await finished()).outcome).toBe('completed');
    expect(noticesOf(NOTICE)).toEqual([
      expect.stringMatching(/has no git-lfs: 1 file is a pointer.*art\/old\.bin/) as string,
    ]);
    expect(told(1)).toContain(NOTICE);
    expect(told(1)).toContain('Fix it.');
  });

  it('is told so again in a thread that takes the place of one that is full', async () => {
    await withoutLfs();
    await rig.world.fixture.commitOnRemote('main', files);
    rig.world.engine.script = (turn: FakeTurn) => {
      const failure = { kind: 'context_exceeded', message: 'too long' } as const;
      if (turn.number === 1) return turn.end('failed', failure);
      turn.message('Finished.\n\nSWITCHYARD_STATUS: DONE');
      turn.end();
    };
    rig.offer();
    expect((await finished()).outcome).toBe('completed');
    expect([told(1), told(2)].map((text) => text.includes(NOTICE))).toEqual([true, true]);
  });

  it('is told so also before the repository has its first file in LFS', async () => {
    await withoutLfs();
    await rig.world.fixture.commitOnRemote('main', { '.gitattributes': ATTRIBUTES });
    agent(() => edit('work.txt', 'done\n'));
    expect((await finished()).outcome).toBe('completed');
    expect(told(1)).toMatch(/has no git-lfs\. Edit no pointer and add no file/);
  });

  it('says nothing of it in a repository without LFS', async () => {
    await withoutLfs();
    await rig.world.fixture.commitOnRemote('main', { '.gitattributes': '*.txt text\n' });
    agent(() => edit('work.bin', 'x'));
    expect((await finished()).outcome).toBe('completed');
    expect(noticesOf(NOTICE)).toEqual([]);
    expect(told(1)).toBe('Fix it.');
  });

  it('refuses raw content by name when the agent insists', async () => {
    await withoutLfs();
    await rig.world.fixture.commitOnRemote('main', files);
    agent(() => edit('art/new "1".bin', 'raw content\n'));
    const { failureKind, reasonCode, message } = await finished();
    expect({ failureKind, reasonCode }).toEqual({
      failureKind: 'delivery_refused',
      reasonCode: 'work_refused',
    });
    expect(message).toContain('art/new "1".bin: has raw content in place of an LFS pointer');
    expect([2, 3, 4].map((turn) => told(turn).includes('art/new "1".bin'))).toEqual([
      true,
      true,
      true,
    ]);
    expect(rig.world.fixture.git(rig.world.fixture.remotePath, 'branch', '--list')).not.toContain(
      'switchyard/',
    );
  });

  it('delivers once the raw content is out of every commit', async () => {
    await withoutLfs();
    await rig.world.fixture.commitOnRemote('main', files);
    const git = (...args: string[]) => rig.world.fixture.git(workspace(), ...args);
    agent(
      async () => {
        await edit('art/old.bin', 'edited in place\n');
        await edit('work.txt', 'done\n');
        git('add', '-A');
        git('commit', '-qm', 'raw');
        // A later commit does not take it out of the history.
        await writeFile(join(workspace(), 'art/old.bin'), files['art/old.bin']);
      },
      async () => {
        git('reset', '-q', '--soft', /reset --soft ([0-9a-f]{40})/.exec(told(2))?.[1] ?? '');
        git('commit', '-qm', 'without it');
      },
    );
    const { outcome, delivery } = await finished();
    expect(told(2)).toContain('art/old.bin: has raw content');
    expect({ outcome, turns: turns().length }).toEqual({ outcome: 'completed', turns: 2 });
    expect(delivered(delivery?.branch)).toContain('work.txt');
  });

  it('lets raw content of the base be changed, moved and put back', async () => {
    await withoutLfs();
    const raw = { 'art/raw.bin': 'raw\n', 'art/moved.bin': 'other\n' };
    await rig.world.fixture.commitOnRemote('main', { ...files, ...raw });
    const git = (...args: string[]) => rig.world.fixture.git(workspace(), ...args);
    agent(async () => {
      await edit('art/raw.bin', 'edited\n');
      git('mv', 'art/moved.bin', 'elsewhere.bin');
    });
    const { outcome, message, delivery } = await finished();
    expect(outcome, message).toBe('completed');
    expect(delivered(delivery?.branch)).toEqual(
      expect.arrayContaining(['art/raw.bin', 'elsewhere.bin']),
    );
  });

  it('takes renamed pointers, empty files and files that an attribute excepts', async () => {
    await withoutLfs();
    await rig.world.fixture.commitOnRemote('main', files);
    const git = (...args: string[]) => rig.world.fixture.git(workspace(), ...args);
    agent(async () => {
      git('mv', 'art/old.bin', 'moved.bin');
      await edit('empty.bin', '');
      await edit('plain/.gitattributes', '*.bin !filter\n');
      await edit('plain/raw.bin', 'raw\n');
    });
    const { outcome, delivery } = await finished();
    expect(outcome).toBe('completed');
    expect(delivered(delivery?.branch)).toEqual(
      expect.arrayContaining(['moved.bin', 'empty.bin', 'plain/raw.bin']),
    );
  });
});
