import { randomBytes } from 'node:crypto';
import Docker from 'dockerode';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { baseImageHere } from './container/docker/image/testing/base-image-here.ts';
import { defaultSandboxImage } from './container/docker/image/default-sandbox-image.ts';
import { ImagelessDaemon } from './testing/imageless-daemon.ts';
import type { RunnerRig } from './testing/runner-rig.ts';
import { API_KEY, ATTEMPT, makeRunnerRig } from './testing/runner-rig.ts';

const docker = new Docker();
const SECOND = { attemptId: 'att_00000002', epoch: 1 };

const base = await baseImageHere();
describe.skipIf(base === null)(
  `a runner without its sandbox image${base === null ? ` (skipped: ${defaultSandboxImage} is not there)` : ''}`,
  { timeout: 180_000 },
  () => {
    let rig: RunnerRig;
    let daemon: ImagelessDaemon;
    beforeEach(async () => {
      daemon = await ImagelessDaemon.start(
        `switchyard-image-test:${randomBytes(6).toString('hex')}`,
      );
      rig = await makeRunnerRig('auto');
      await rig.join();
    });
    afterEach(async () => {
      await rig.dispose();
      await daemon.close();
      await docker
        .getImage(daemon.tag)
        .remove()
        .catch(() => undefined);
    });
    const start = (...more: string[]) =>
      rig.run(['--base-image', base ?? '', ...more], { DOCKER_HOST: daemon.dockerHost });
    const hellos = () => rig.server.plane.all('hello');
    const call = async (method: string, params: Record<string, unknown>, timeoutMs: number) => {
      const callId = `call_${randomBytes(4).toString('hex')}`;
      rig.server.plane.say({ type: 'call', callId, method, timeoutMs, params });
      const found = () => rig.server.plane.all('result').find((one) => one.callId === callId);
      await expect.poll(found, { timeout: timeoutMs }).toBeDefined();
      return found()?.value;
    };
    const image = (provide: boolean) => call('sandbox.image', { provide }, 5_000);
    const operator = async () => {
      const { url: baseUrl } = rig.provider;
      const provider = { name: 'scripted', baseUrl, wireApi: 'responses' };
      const engine = { name: 'codex', model: 'scripted-model', provider };
      const sealedSecrets = await rig.server.seal({ providerApiKey: API_KEY });
      const given = { engine, sealedSecrets, requestTimeoutMs: 30_000 };
      return call('engine.request', { operation: { op: 'threads.list' }, ...given }, 120_000);
    };

    it('builds it beside the work; what runs stays, what begins later gets a container', async () => {
      rig.provider.setScript((request) => {
        const step = fixFailingTest()(request);
        return request.stepIndex === 2 ? { ...step, delayMs: 4_000 } : step;
      });
      const runner = await start('--build-image');
      expect(hellos()).toHaveLength(1);
      expect(hellos()[0]).toMatchObject({ isolation: 'process' });
      await rig.until('the build', () => daemon.isWaiting, runner);
      await rig.offer();
      await rig.until('the second command', () => rig.provider.requests.length >= 3, runner);
      expect(await image(false)).toMatchObject({ state: 'providing', source: 'build' });
      daemon.release();
      await rig.until('the news', () => hellos().length === 2, runner);
      expect(hellos()[1]).toMatchObject({
        isolation: 'docker',
        isolationLevels: { default: 'container' },
        held: [{ attemptId: ATTEMPT }],
      });
      expect(hellos()[1]?.warnings.join()).not.toContain('nothing protects');
      expect(await rig.finished(runner)).toMatchObject({ outcome: 'completed', marker: 'DONE' });
      expect(rig.events('container')[0]).toMatchObject({ isolation: 'process' });
      expect(await image(true)).toMatchObject({ state: 'ready', step: null, problem: null });
      await rig.offer({ issue: { ...rig.issue, identifier: 'SY-2', id: 'iss_2' } }, SECOND);
      expect(await rig.finished(runner, SECOND)).toMatchObject({ outcome: 'completed' });
      expect(rig.events('container', SECOND)[0]).toMatchObject({ isolation: 'docker' });
      expect(daemon.builds).toBe(1);
      expect(daemon.contextParts).toBeGreaterThan(0);
    });

    it('goes on with what began as a process when it starts again with the image', async () => {
      rig.provider.setScript((request) => {
        const step = fixFailingTest()(request);
        return request.stepIndex === 2 ? { ...step, delayMs: 5_000 } : step;
      });
      const one = await start();
      await rig.offer();
      await rig.until('the second command', () => rig.provider.requests.length >= 3, one);
      one.child.kill('SIGKILL');
      await one.exit;
      daemon.reveal();
      const two = await start();
      expect(hellos().at(-1)).toMatchObject({
        isolation: 'docker',
        held: [{ attemptId: ATTEMPT, containerId: expect.stringMatching(/^process-/) }],
      });
      expect(await rig.finished(two)).toMatchObject({ outcome: 'completed', marker: 'DONE' });
      expect(rig.events('container').map(({ state, isolation }) => [state, isolation])).toEqual([
        ['started', 'process'],
        ['exited', 'process'],
      ]);
    });

    it(
      'notices an image that somebody else built, and one that is gone; takes work only with it',
      { timeout: 400_000 },
      async () => {
        const runner = await start();
        expect(hellos()[0]).toMatchObject({ isolation: 'process' });
        expect(await operator()).toMatchObject({ outcome: 'answered' });
        daemon.reveal();
        await rig.until('the news', () => hellos().at(-1)?.isolation === 'docker', runner);
        expect(hellos().at(-1)?.warnings.join()).not.toContain('nothing protects');
        expect(await image(true)).toMatchObject({ state: 'ready' });
        expect(daemon.builds).toBe(0);
        await rig.offer();
        expect(await rig.finished(runner)).toMatchObject({ outcome: 'completed' });
        expect(rig.events('container')[0]).toMatchObject({ isolation: 'docker' });
        // In the home that it had as a process.
        expect(await operator()).toMatchObject({ outcome: 'answered' });
        daemon.hide();
        const isClosed = () => hellos().at(-1)?.slots.free === 0;
        await rig.until('the loss', isClosed, runner);
        expect(hellos().at(-1)).toMatchObject({ isolation: 'docker', slots: { total: 1 } });
        expect(hellos().at(-1)?.warnings.join()).toContain('takes no new work');
        expect(await image(false)).toMatchObject({ state: 'missing' });
        daemon.reveal();
        await rig.until('the return', () => hellos().at(-1)?.slots.free === 1, runner);
        expect(hellos().at(-1)?.warnings.join()).not.toContain('takes no new work');
      },
    );

    it('builds nothing that is there, asked before it was noticed', async () => {
      await start();
      daemon.reveal();
      expect(await image(true)).toMatchObject({ state: 'ready', problem: null });
      expect(daemon.builds).toBe(0);
      expect(hellos().at(-1)).toMatchObject({ isolation: 'docker' });
    });

    it('says that it is missing, builds when it is asked to, and lets go when it stops', async () => {
      const runner = await start();
      expect(hellos()[0]?.warnings.join()).toContain('the sandbox image is missing');
      expect(await image(false)).toMatchObject({ state: 'missing', problem: null });
      expect(await image(true)).toMatchObject({ state: 'providing', image: defaultSandboxImage });
      const step = async () => (await image(false)) as { step: string };
      await rig.until('a step', async () => /cache|fetch|build/.test((await step()).step), runner);
      runner.child.kill('SIGTERM');
      expect(await runner.exit).toBe(0);
      expect(runner.stderr()).toContain('was not finished');
    });
  },
);
