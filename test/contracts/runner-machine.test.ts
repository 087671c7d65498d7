import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../support/e2e/start-service.ts';

const TIMEOUT_MS = 20_000;
const folder = join(repositoryRoot, 'runner/machine');
const unitPath = join(folder, 'switchyard-runner.service');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** The line that a section of the unit has for a key. */
function setting(unit: string, key: string): string | undefined {
  return new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1];
}

describe('the unit for machines with systemd', () => {
  it('starts what is there, leaves agents running and stays down when it is not wanted', async () => {
    const unit = await readFile(unitPath, 'utf8');
    const script = / (\S+\.mjs) runner /.exec(setting(unit, 'ExecStart') ?? '')?.[1] ?? '';
    expect(existsSync(join(repositoryRoot, script)), script).toBe(true);
    expect(setting(unit, 'KillMode')).toBe('process');
    expect(setting(unit, 'RestartPreventExitStatus')).toBe('3');
    if (!hasSystemd) return;
    const verified = spawnSync('systemd-analyze', ['verify', unitPath], {
      timeout: TIMEOUT_MS,
      encoding: 'utf8',
    });
    // Other units of the machine are none of this one's business.
    const own = verified.stderr.split('\n').filter((line) => line.includes('switchyard-runner'));
    expect(own).toEqual([]);
  });
});

describe('the recipe of the container image', () => {
  it('copies and starts what is there', async () => {
    const recipe = await readFile(join(folder, 'Dockerfile'), 'utf8');
    const lines = recipe.replaceAll('\\\n', ' ').split('\n');
    const instructions = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'));
    const known = /^(ARG|FROM|RUN|WORKDIR|COPY|ENV|ENTRYPOINT|CMD) \S/;
    expect(instructions.filter((line) => !known.test(line))).toEqual([]);
    const sources = instructions
      .filter((line) => line.startsWith('COPY '))
      .flatMap((line) => line.split(' ').slice(1, -1));
    const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(recipe)?.[1] ?? '[]') as string[];
    const needed = [...sources, entry.at(-1) ?? ''];
    expect(needed.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
  });
});
