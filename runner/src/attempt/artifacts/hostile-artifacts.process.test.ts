import { execFileSync } from 'node:child_process';
import { link, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useHost } from '../testing/use-host.ts';

const rig = useHost();
const { finished, payloads, workspace } = rig;

const artifacts = 'out/shots';
const at = (...names: string[]) => join(workspace(), artifacts, ...names);
const notices = () => payloads('notice').map(({ level, message }) => [level, message]);
const paths = () =>
  payloads('artifacts').flatMap(({ files }) => (files as { path: string }[]).map((f) => f.path));

function agent(work: () => unknown): void {
  rig.world.engine.script = async (turn) => {
    await work();
    turn.message('Finished.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
}

/** A folder of the host with a file of ours, outside of the workspace. */
async function victim(): Promise<string> {
  const folder = join(rig.world.fixture.folder, 'victim');
  await rig.world.fixture.write(join(folder, 'secret.txt'), 'of the host');
  return folder;
}

describe('a hostile folder of artifacts', { timeout: 60_000 }, () => {
  it('gives its plain files and nothing that leads elsewhere', async () => {
    agent(async () => {
      const ours = await victim();
      await mkdir(at('deep'), { recursive: true });
      await writeFile(at('deep', 'real.txt'), 'real');
      await symlink('/etc/passwd', at('passwd'));
      await symlink(ours, at('deep', 'folder'));
      await symlink(join(ours, 'secret.txt'), at('deep', 'a'));
      await symlink('..', at('deep', 'loop'));
      await link(at('deep', 'real.txt'), at('same.txt'));
      execFileSync('mkfifo', [at('pipe')]);
      const server = createServer();
      await new Promise<void>((resolve) => void server.listen(at('socket'), resolve));
      // A server that ends removes its socket: the name stays as another one.
      await link(at('socket'), at('socket-left'));
      server.close();
    });
    rig.offer({ artifacts });
    expect(await finished()).toMatchObject({ outcome: 'completed' });
    expect(paths()).toEqual(['deep/real.txt', 'same.txt']);
    expect(notices()).toEqual([]);
  });

  it('has names that can be shown', async () => {
    const raw = (name: string) =>
      Buffer.concat([Buffer.from(`${at()}/`), Buffer.from(name, 'latin1')]);
    agent(async () => {
      await mkdir(at('x'.repeat(200), 'y'.repeat(200)), { recursive: true });
      await writeFile(at('x'.repeat(200), 'y'.repeat(200), 'long'), '');
      await writeFile(raw('a\nb\x1b[31m'), '1');
      await writeFile(raw('bad\xff'), '2');
      await writeFile(raw('\xe2\x80\xae'), '3');
    });
    rig.offer({ artifacts });
    expect(await finished()).toMatchObject({ outcome: 'completed' });
    const [first, second, third = '', last] = paths();
    expect([first, second, last]).toEqual(['a?b?[31m', 'bad\ufffd', '?']);
    expect([third.length, third.endsWith('…')]).toEqual([300, true]);
  });

  it.each([
    ['a link to the root', () => symlink('/', at())],
    ['a link to a folder of the host', async () => symlink(await victim(), at())],
    ['a file', () => writeFile(at(), 'x')],
    ['a pipe', () => execFileSync('mkfifo', [at()])],
  ])('that is %s has none', async (_what, put) => {
    agent(async () => {
      await mkdir(join(workspace(), 'out'));
      await put();
    });
    rig.offer({ artifacts });
    await finished();
    expect(payloads('artifacts')).toEqual([]);
  });

  it('below a folder that is a link has none', async () => {
    agent(async () => {
      const ours = await victim();
      await mkdir(join(ours, 'shots'));
      await writeFile(join(ours, 'shots', 'secret.txt'), 'of the host');
      await symlink(ours, join(workspace(), 'out'));
    });
    rig.offer({ artifacts });
    await finished();
    expect(payloads('artifacts')).toEqual([]);
  });

  it('is walked within limits', async () => {
    agent(async () => {
      await mkdir(at(...Array.from({ length: 200 }, () => 'd')), { recursive: true });
      await writeFile(at('b.txt'), 'x');
      const script = 'mkdir many && cd many && seq 1 12000 | xargs touch';
      execFileSync('sh', ['-c', script], { cwd: at() });
    });
    rig.offer({ artifacts });
    expect(await finished()).toMatchObject({ outcome: 'completed' });
    expect(paths().length).toBeLessThanOrEqual(20);
    expect(notices()).toEqual([['info', expect.stringContaining('not all files')]]);
    await rm(at(), { recursive: true });
  });
});
