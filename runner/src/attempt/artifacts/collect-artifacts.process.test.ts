import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FakeTurn } from '../testing/fake-engine.ts';
import { limits, useHost } from '../testing/use-host.ts';

const rig = useHost();
const { finished, payloads, workspace } = rig;

const artifacts = 'out/shots';
const PNG = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1');
const at = (name = '') => join(workspace(), artifacts, name);
const git = (...args: string[]) => rig.world.fixture.git(workspace(), ...args).trim();
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
const delivered = () =>
  rig.world.fixture
    .git(rig.world.fixture.remotePath, 'ls-tree', '-r', '--name-only', 'switchyard/sy-1-fix-it')
    .trim()
    .split('\n');
const stored = () => [...rig.world.blobs.keys()].filter((key) => key.includes('/artifact-'));
const notices = () => payloads('notice').map(({ level, message }) => [level, message]);

async function leave(name: string, bytes: string | Buffer = 'text\n'): Promise<void> {
  await mkdir(join(at(name), '..'), { recursive: true });
  await writeFile(at(name), bytes);
}

function agent(work: (turn: FakeTurn) => unknown, status = 'DONE'): void {
  rig.world.engine.script = async (turn) => {
    await work(turn);
    turn.message(`Finished.\n\nSWITCHYARD_STATUS: ${status}`);
    turn.end();
  };
}

describe('files in the folder of artifacts', { timeout: 60_000 }, () => {
  it('are stored and told, and are in no commit', async () => {
    agent(async () => {
      await rig.edit();
      await leave('z.txt', 'grüße\n');
      await leave('pages/home.png', PNG);
      await leave('pages/same.png', PNG);
      await leave('.gitkeep');
      await leave('sub/.git/config');
      await leave('lies.png', '\u0000\u0001');
      git('add', '-A');
      git('commit', '-qm', 'all');
    });
    rig.offer({ artifacts });
    const { outcome, delivery } = await finished();
    expect({ outcome, files: delivery?.diffStat.files }).toEqual({
      outcome: 'completed',
      files: 1,
    });
    expect(delivered()).toEqual(['README.md', 'new.txt', 'src/app.txt']);
    const blobOf = (bytes: string | Buffer) =>
      `att_00000001/1/artifact-${sha256(bytes).slice(0, 32)}`;
    const file = (path: string, type: string, bytes: string | Buffer) => ({
      path,
      type,
      bytes: Buffer.byteLength(bytes),
      sha256: sha256(bytes),
      blob: blobOf(bytes),
    });
    expect(payloads('artifacts')).toEqual([
      {
        files: [
          file('lies.png', 'application/octet-stream', '\u0000\u0001'),
          file('pages/home.png', 'image/png', PNG),
          file('pages/same.png', 'image/png', PNG),
          file('z.txt', 'text/plain', 'grüße\n'),
        ],
        leftOut: 0,
      },
    ]);
    expect(stored()).toHaveLength(3);
    expect(Buffer.from(rig.world.blobs.get(blobOf(PNG)) ?? '').equals(PNG)).toBe(true);
    expect(notices()).toEqual([]);
  });

  it('are told of an agent that is not done, too', async () => {
    agent(() => leave('why.txt'), 'BLOCKED');
    rig.offer({ artifacts });
    expect(await finished()).toMatchObject({ outcome: 'completed', marker: 'BLOCKED' });
    expect(payloads('artifacts')).toMatchObject([{ files: [{ path: 'why.txt' }], leftOut: 0 }]);
  });

  it('are told where the work has failed its checks', async () => {
    agent(() => Promise.all([rig.edit(), leave('failure.txt')]));
    const checks = [{ name: 'fails', command: 'exit 1', timeoutMs: 60_000 }];
    rig.offer({ artifacts, checks, limits: { ...limits, maxTurns: 1 } });
    expect(await finished()).toMatchObject({ reasonCode: 'checks_failed' });
    expect(payloads('artifacts')).toMatchObject([{ files: [{ path: 'failure.txt' }] }]);
  });

  it.each([
    ['there are none', { artifacts }, () => mkdir(at('empty'), { recursive: true })],
    ['there is no folder', { artifacts }, () => undefined],
    ['none is declared', {}, () => leave('a.txt')],
    ['the agent only reads', { artifacts, readOnly: true }, () => leave('a.txt')],
  ])('are not told where %s', async (_why, spec, work) => {
    agent(work);
    rig.offer(spec);
    expect(await finished()).toMatchObject({ outcome: 'completed' });
    expect(payloads('artifacts')).toEqual([]);
    expect(notices()).toEqual([]);
  });

  it('may be reports of a check, which are no change of the work', async () => {
    agent(() => rig.edit());
    const command = 'mkdir -p out/shots && echo ok >out/shots/report.txt';
    rig.offer({ artifacts, checks: [{ name: 'test', command, timeoutMs: 60_000 }] });
    expect(await finished()).toMatchObject({ outcome: 'completed', delivery: { pushed: true } });
    const ended = payloads('check').filter(({ state }) => state === 'ended');
    expect(ended).toMatchObject([{ name: 'test', result: 'passed' }]);
    expect(ended[0]).not.toHaveProperty('changedFiles');
    expect(payloads('artifacts')).toMatchObject([{ files: [{ path: 'report.txt' }] }]);
    expect(delivered()).toEqual(['README.md', 'new.txt', 'src/app.txt']);
  });

  it('may be of the after_run hook', async () => {
    agent(() => rig.edit());
    rig.offer({ artifacts, hooks: { afterRun: 'mkdir -p out/shots; echo x >out/shots/log.txt' } });
    await finished();
    expect(payloads('artifacts')).toMatchObject([{ files: [{ path: 'log.txt' }] }]);
  });
});

describe('more than is stored', { timeout: 60_000 }, () => {
  const paths = () =>
    payloads('artifacts').flatMap(({ files }) => (files as { path: string }[]).map((f) => f.path));

  it('is counted, and the first of it named: by number and size of a file', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `${index + 10}.txt`);
    agent(async () => {
      for (const name of names) await leave(name, name);
      await leave('1-large.bin', Buffer.alloc(6 * 1_048_576));
    });
    rig.offer({ artifacts });
    expect(await finished()).toMatchObject({ outcome: 'completed' });
    expect(paths()).toEqual(names.filter((_, index) => index < 20));
    expect(payloads('artifacts')[0]).toMatchObject({ leftOut: 11 });
    expect(notices()).toEqual([
      ['info', expect.stringContaining('1-large.bin, 30.txt, 31.txt and 8 more')],
    ]);
  });

  it('is so by the size of all; smaller ones still have room', async () => {
    agent(async () => {
      for (const name of ['a', 'b', 'c']) await leave(name, Buffer.alloc(5 * 1_048_576, name));
      await leave('d', Buffer.alloc(4 * 1_048_576));
      await leave('e', Buffer.alloc(2 * 1_048_576));
      await leave('f', Buffer.alloc(1_048_576));
      await leave('g', '');
      await leave('h', 'x');
    });
    rig.offer({ artifacts });
    await finished();
    expect(paths()).toEqual(['a', 'b', 'c', 'd', 'f', 'g']);
    expect(payloads('artifacts')[0]).toMatchObject({ leftOut: 2 });
  });
});

describe('artifacts with a credential of the installation', { timeout: 60_000 }, () => {
  const KEY = 'sk-live-0123456789';

  it('do not leave the runner, and nothing that is said holds it', async () => {
    const workSecrets = { NPM: 'npm-token-abcdef', SHORT: 'ab' };
    rig.world.plane.sealedSecrets = JSON.stringify({ providerApiKey: KEY, workSecrets });
    agent(async () => {
      await leave('clean.txt', 'ab');
      await leave('key.txt', `before ${KEY} after`);
      await leave('wide.txt', Buffer.from(`\ufeff${KEY}`, 'utf16le'));
      await leave('token.png', Buffer.concat([PNG, Buffer.from(workSecrets.NPM)]));
      await leave(`${KEY}.txt`);
      await leave(`sk-live-\u200e0123456789`);
      for (let index = 0; index < 25; index += 1) await leave(`zz/${index}/${KEY}`, String(index));
    });
    rig.offer({ artifacts });
    expect(await finished()).toMatchObject({ outcome: 'completed' });
    expect(payloads('artifacts')).toMatchObject([{ files: [{ path: 'clean.txt' }], leftOut: 0 }]);
    expect(stored()).toHaveLength(1);
    expect(notices()).toEqual([['warning', expect.stringContaining('credential')]]);
    const said = JSON.stringify([payloads('notice'), payloads('artifacts')]);
    expect(said).toContain('key.txt');
    expect(said).not.toContain(KEY);
  });
});

describe('artifacts that the control plane does not take', { timeout: 60_000 }, () => {
  it('are missing, and the work is delivered', async () => {
    agent(async () => {
      await rig.edit();
      await leave('a.txt');
      rig.world.plane.attemptToken = 'another';
    });
    rig.offer({ artifacts });
    expect(await finished()).toMatchObject({ outcome: 'completed', delivery: { pushed: true } });
    expect(payloads('artifacts')).toEqual([]);
    expect(notices()).toContainEqual([
      'warning',
      expect.stringMatching(/could not be stored \(401 .*\): a\.txt$/),
    ]);
  });
});
