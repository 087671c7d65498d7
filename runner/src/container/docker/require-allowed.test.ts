import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireAllowedImage, requireAllowedMounts } from './require-allowed.ts';
import { levelOfRuntime } from './container-locks.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-allow-'));
  for (const name of ['data', 'data/work', 'data-other']) await mkdir(join(folder, name));
  await symlink('/etc', join(folder, 'data/etc'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const mount = (hostPath: string) => [{ hostPath, containerPath: '/x', readOnly: true }];

describe('what a runner lets into its containers', () => {
  it('mounts only what lies below its own folder, links followed', async () => {
    const roots = [join(folder, 'data'), join(folder, 'not-there-yet')];
    await requireAllowedMounts(mount(join(folder, 'data/work')), roots);
    for (const path of ['data', 'data/etc', 'data-other', 'data/../data-other'])
      await expect(requireAllowedMounts(mount(join(folder, path)), roots)).rejects.toThrow(
        'allowed',
      );
    await expect(requireAllowedMounts(mount('/var/run'), roots)).rejects.toThrow('not allowed');
  });

  it('starts only images that its operator named', () => {
    requireAllowedImage('switchyard-sandbox:abc', ['switchyard-sandbox:*']);
    requireAllowedImage('team/image:1', ['team/image:1']);
    expect(() => requireAllowedImage('team/image:2', ['team/image:1'])).toThrow('--allow-image');
  });

  it('knows how strong a runtime is, and that a daemon has it not', () => {
    const daemon = {
      Runtimes: { runc: {}, runsc: {} },
      DefaultRuntime: 'runc',
      SecurityOptions: ['name=seccomp,profile=default'],
    };
    expect(levelOfRuntime(daemon, null, 'socket')).toBe('container');
    expect(levelOfRuntime(daemon, 'runsc', 'socket')).toBe('kernel');
    expect(levelOfRuntime(daemon, 'kata', 'socket')).toBeNull();
    expect(levelOfRuntime(daemon, null, 'host-alias')).toBe('open_container');
    expect(levelOfRuntime({ ...daemon, SecurityOptions: [] }, null, 'socket')).toBe(
      'open_container',
    );
  });
});
