import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CheckSpec } from '@switchyard/shared/checks/check-spec';
import type { FakeTurn } from '../testing/fake-engine.ts';
import { limits, useHost } from '../testing/use-host.ts';

const rig = useHost();
const { finished, payloads, workspace } = rig;

const check = (name: string, command: string): CheckSpec => ({ name, command, timeoutMs: 60_000 });
const edit = (text: string, name = 'new.txt'): Promise<void> =>
  rig.world.fixture.write(join(workspace(), name), text);
const git = (...args: string[]): string => rig.world.fixture.git(workspace(), ...args).trim();
const delivered = (): string[] =>
  rig.world.fixture
    .git(rig.world.fixture.remotePath, 'ls-tree', '-r', '--name-only', 'switchyard/sy-1-fix-it')
    .trim()
    .split('\n');
const ended = () => payloads('check').filter((one) => one['state'] === 'ended');
const results = () => ended().map((one) => [one['name'], one['result']]);

function agent(...steps: (() => unknown)[]): void {
  rig.world.engine.script = async (turn: FakeTurn) => {
    await steps[turn.number - 1]?.();
    turn.message('Finished.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
}

describe('a check that changes files', { timeout: 60_000 }, () => {
  const DIRTIES =
    'echo x >>src/app.txt; rm README.md; mkdir -p deep/er; echo y >deep/er/new; ' +
    'touch "$(printf \'a\\nb\')"; echo z >kept.log; git add -A; git commit -qm stray';

  it('has them named and put back; nothing of it is delivered', async () => {
    agent(() => edit('*.log\n', '.gitignore'));
    rig.offer({ checks: [check('dirties', DIRTIES), check('reads', 'test -e deep/er/new')] });
    const { outcome, delivery, summary } = await finished();
    expect({ outcome, summary }).toEqual({ outcome: 'completed', summary: 'Finished.' });
    expect(ended()).toMatchObject([
      {
        name: 'dirties',
        result: 'passed',
        changedFiles: ['README.md', 'a?b', 'deep/er/new', 'src/app.txt'],
      },
      { name: 'reads', result: 'passed' },
    ]);
    expect(ended()[1]).not.toHaveProperty('changedFiles');
    expect(delivered()).toContain('.gitignore');
    expect(delivered()).not.toContain('deep/er/new');
    expect(git('status', '--porcelain')).toBe('');
    expect(git('rev-parse', 'HEAD')).toBe(delivery?.commitSha);
    expect(git('show', 'HEAD:src/app.txt')).not.toContain('x');
    // What is ignored is no change of the work.
    expect(git('ls-files', '-o', 'kept.log')).toBe('kept.log');
  });

  it('leaves none for the next turn', async () => {
    let status = 'not looked at';
    agent(
      () => edit('bad'),
      () => {
        status = git('status', '--porcelain');
        return edit('good');
      },
    );
    rig.offer({ checks: [check('dirties', 'touch junk; grep -q good new.txt')] });
    expect(await finished()).toMatchObject({ outcome: 'completed' });
    expect(status).toBe('');
    expect(delivered()).not.toContain('junk');
  });

  it('fails where they cannot be put back', async () => {
    agent(() => edit('good'));
    const { containers } = rig.world;
    containers.prepareCommand = (spec) =>
      spec.purpose === 'check-tree' && spec.argv.at(-1) === 'put-back'
        ? { ...spec, argv: ['sh', '-c', 'echo no space left >&2; exit 1'] }
        : spec;
    const checks = [check('dirties', 'touch junk'), check('clean', 'true')];
    rig.offer({ checks, limits: { ...limits, maxTurns: 1 } });
    const { reasonCode, message } = await finished();
    expect({ reasonCode, message }).toMatchObject({
      reasonCode: 'checks_failed',
      message: expect.stringContaining('dirties') as string,
    });
    expect(message).not.toContain('clean');
    expect(ended().find((one) => one['result'] === 'failed')).toMatchObject({
      name: 'dirties',
      changedFiles: ['junk'],
      message: expect.stringContaining('could not be put back') as string,
    });
  });
});

describe('a workspace that does not hold the work', { timeout: 60_000 }, () => {
  it.each(['--assume-unchanged', '--skip-worktree'])(
    'is not checked in its place, also where git is told not to look (%s)',
    async (flag) => {
      agent(async () => {
        await edit('good');
        git('update-index', flag, 'src/app.txt');
        await edit('other than the commit', 'src/app.txt');
      });
      const reads = check('reads', 'grep -q "other than" src/app.txt');
      rig.offer({ checks: [reads], limits: { ...limits, maxTurns: 1 } });
      expect(await finished()).toMatchObject({ reasonCode: 'checks_failed' });
      expect(ended()).toMatchObject([
        {
          result: 'failed',
          message: expect.stringContaining('src/app.txt') as string,
        },
      ]);
    },
  );

  it('fails its checks where that cannot be found out', async () => {
    agent(() => edit('good'));
    rig.world.containers.prepareCommand = (spec) =>
      spec.purpose === 'check-tree' && spec.argv.at(-1) === 'begin'
        ? { ...spec, argv: ['sh', '-c', 'echo broken filter >&2; exit 1'] }
        : spec;
    rig.offer({ checks: [check('any', 'true')], limits: { ...limits, maxTurns: 1 } });
    expect(await finished()).toMatchObject({ reasonCode: 'checks_failed' });
    expect(ended()).toMatchObject([
      { result: 'failed', message: expect.stringContaining('broken filter') as string },
    ]);
  });
});

describe('work that changes after it was checked', { timeout: 60_000 }, () => {
  const IS_GOOD = check('test', 'grep -q good new.txt');

  it('is checked again, and delivered where it passes', async () => {
    agent(() => edit('good'));
    rig.offer({ checks: [IS_GOOD], hooks: { afterRun: 'echo more >more.txt' } });
    const { outcome, delivery } = await finished();
    expect(outcome).toBe('completed');
    expect(delivered()).toContain('more.txt');
    expect(results()).toEqual([
      ['test', 'passed'],
      ['test', 'passed'],
    ]);
    expect(ended().at(-1)).toMatchObject({ commitSha: delivery?.commitSha });
  });

  it('is not delivered where it does not', async () => {
    agent(() => edit('good'));
    rig.offer({ checks: [IS_GOOD], hooks: { afterRun: 'echo bad >new.txt' } });
    expect(await finished()).toMatchObject({
      failureKind: 'delivery_refused',
      reasonCode: 'checks_failed',
      delivery: { pushed: false },
    });
  });

  it('is not checked again where it is the same tree as before', async () => {
    const flag = join(rig.world.fixture.folder, 'flag');
    agent(
      () => edit('good'),
      () => {
        git('commit', '-q', '--allow-empty', '-m', 'one more');
        return writeFile(flag, '');
      },
    );
    rig.offer({ checks: [IS_GOOD, check('later', `test -e ${flag}`)] });
    expect(await finished()).toMatchObject({ outcome: 'completed' });
    expect(ended().map((one) => [one['name'], one['run'], one['result']])).toEqual([
      ['test', 1, 'passed'],
      ['later', 1, 'failed'],
      ['later', 2, 'failed'],
      ['later', 3, 'passed'],
    ]);
  });
});
