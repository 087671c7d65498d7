import { homedir } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { runnerFlags } from './runner-flags.ts';

const FLAGS = { sandbox: 'auto', open: false, runner: true };
const folders = (...given: Parameters<typeof runnerFlags>) => {
  const flags = runnerFlags(...given);
  return flags.filter((_flag, at) => flags[at - 1] === '--allow-folder');
};

describe('folders for repositories of the runner beside a control plane', () => {
  it('are the home folder, unless others are named', () => {
    expect(folders(FLAGS, {})).toEqual([homedir()]);
    expect(folders({ ...FLAGS, allowFolder: ['/srv/git', '/data'] }, {})).toEqual([
      '/srv/git',
      '/data',
    ]);
  });

  it('are none for a user without a home folder', () => {
    vi.stubEnv('HOME', '/dev/null');
    expect(folders(FLAGS, {})).toEqual([]);
    vi.unstubAllEnvs();
  });

  it('are left to the variable that the runner reads', () => {
    expect(folders(FLAGS, { SWITCHYARD_ALLOW_FOLDERS: '/srv/git' })).toEqual([]);
  });
});
