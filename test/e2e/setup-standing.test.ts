import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RepoRouteAdded } from '@switchyard/shared/api/admin/repo-route';
import type { SetupCheck, SetupOverview, SetupStepName } from '@switchyard/shared/api/admin/setup';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { until } from '../support/e2e/until.ts';

const START_TIMEOUT_MS = 120_000;
const SYNC_TIMEOUT_MS = 60_000;
const git = promisify(execFile);

describe('how the setup stands, as the service says it', { timeout: 120_000 }, () => {
  let bench: Bench;
  let copy: string;
  beforeAll(async () => {
    bench = await startBench({ script: fixFailingTest(), bare: true });
    copy = join(bench.folder, 'copy');
    await git('git', ['clone', '--quiet', bench.repository.path, copy]);
    await mkdir(join(bench.folder, 'plain'));
  }, START_TIMEOUT_MS);
  afterAll(() => bench?.close());

  const add = (url: string, prefix = 'SY-') =>
    bench.client.must<RepoRouteAdded>('POST', '/setup/repo-route', { prefix, url });
  const stepOf = async (name: SetupStepName) => {
    const { steps } = await bench.client.must<SetupOverview>('GET', '/setup');
    return steps.find(({ step }) => step === name);
  };
  const settled = (name: SetupStepName) =>
    until(
      () => stepOf(name),
      (step) => step?.state !== 'waiting',
      { what: `the check of ${name}`, timeoutMs: SYNC_TIMEOUT_MS },
    );
  const removeAll = () => bench.client.must('DELETE', '/setup/repo-route/0');

  it('begins with what only a person knows', async () => {
    const { steps } = await bench.client.must<SetupOverview>('GET', '/setup');
    const main = steps.filter(({ isMain }) => isMain).map(({ step }) => step);
    expect(main).toEqual(['repository', 'provider', 'issue']);
  });

  it('says of what cannot work why, when it is added, and later', async () => {
    const missing = await add(join(bench.folder, 'nowhere.git'));
    expect(missing).toMatchObject({
      ok: false,
      message: expect.stringMatching(/no repository at/),
    });
    expect(await settled('repository')).toMatchObject({
      done: false,
      state: 'failed',
      summary: missing.message,
    });
    await removeAll();
    const plain = await add(join(bench.folder, 'plain'));
    expect(plain).toMatchObject({ ok: false, message: expect.stringContaining('git init') });
    await removeAll();
    const outside = await add('/var/lib/app.git');
    expect(outside).toMatchObject({
      ok: false,
      message: expect.stringMatching(
        /"switchyard start --allow-folder \S+ \/var\/lib" and its other options/,
      ),
    });
    await removeAll();
    expect(await stepOf('repository')).toMatchObject({ state: 'todo' });
  });

  it('takes a working copy with a warning that stays until it is mended', async () => {
    const added = await add(copy);
    expect(added).toMatchObject({ ok: true, url: `file://${copy}` });
    expect(added.warnings).toEqual([expect.stringContaining(`git -C ${copy} config`)]);
    expect(await settled('repository')).toMatchObject({ done: true, warnings: added.warnings });
    await bench.service.kill();
    await bench.restart();
    expect(await stepOf('repository')).toMatchObject({ done: true, warnings: added.warnings });
    await git('git', ['-C', copy, 'config', 'receive.denyCurrentBranch', 'updateInstead']);
    // Its runner comes back in its own time after the restart; until then nobody can look.
    await until(
      () => bench.client.must<SetupCheck>('POST', '/setup/check', { step: 'repository' }),
      ({ ok }) => ok,
      { what: 'a runner that looks again', timeoutMs: SYNC_TIMEOUT_MS },
    );
    expect(await stepOf('repository')).toMatchObject({ done: true, warnings: [] });
  });

  it('finds the home folder of the runner', async () => {
    const home = await add('~/no-such-repository.git', 'HOME-');
    expect(home.url).toBe(`file://${process.env['HOME']}/no-such-repository.git`);
  });
});
