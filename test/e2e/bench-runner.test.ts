import type { SetupCheck } from '@switchyard/shared/api/admin/setup';
import { expect, it, onTestFinished } from 'vitest';
import { connectBenchRunner } from '../bench/bench-runner.ts';
import { startControlPlaneProcess } from '../bench/control-plane-process.ts';

it('a runner of the bench refuses what an open dashboard asks of it, and stays', async () => {
  const controlPlane = await startControlPlaneProcess();
  onTestFinished(() => controlPlane.stop());
  const runner = await connectBenchRunner(controlPlane, { name: 'bench', slots: 1 });
  onTestFinished(() => runner.close());
  const granted = new Promise((resolve) => runner.onGranted(resolve));
  const check = { step: 'repository' };
  const { ok, message } = await controlPlane.post<SetupCheck>('/setup/check', check);
  expect({ ok, message }).toEqual({ ok: false, message: expect.stringContaining('no calls') });
  await controlPlane.post('/local/issues', { title: 'Bench' });
  expect(await granted).toMatchObject({ epoch: 1 });
});
