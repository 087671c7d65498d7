import { messageOf } from '@switchyard/shared/message-of';
import Docker from 'dockerode';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { commitsItself, slow } from '../../test/support/scripted-model/scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { DockerContainerEngine } from './container/docker/docker-engine.ts';
import { defaultSandboxImage } from './container/docker/image/default-sandbox-image.ts';
import type { RunnerRig } from './testing/runner-rig.ts';
import { ATTEMPT, makeRunnerRig } from './testing/runner-rig.ts';

async function reasonToSkip(): Promise<string | null> {
  const engine = new DockerContainerEngine({ image: defaultSandboxImage });
  try {
    await engine.check();
    return null;
  } catch (error) {
    return messageOf(error);
  } finally {
    await engine.close();
  }
}

const skipReason = await reasonToSkip();
describe.skipIf(skipReason !== null)(
  `the runner with Docker${skipReason === null ? '' : ` (skipped: ${skipReason})`}`,
  { timeout: 120_000 },
  () => {
    let rig: RunnerRig;
    beforeEach(async () => {
      rig = await makeRunnerRig('docker');
      await rig.join();
    });
    afterEach(async () => {
      await rig.dispose();
      expect(await containers()).toEqual([]);
    });

    const ownLabel = () => `switchyard.runner_id=${rig.server.runnerIdPrefix}1`;
    const containers = async (): Promise<string[]> => {
      const label = [ownLabel()];
      const found = await new Docker().listContainers({ all: true, filters: { label } });
      return found.map(({ Names }) => Names.join());
    };
    const order = { attemptId: ATTEMPT, epoch: 1 };

    it('takes an issue to a pushed branch in a container', async () => {
      const runner = await rig.run();
      await rig.offer();
      const finish = await rig.finished(runner);
      expect(finish, JSON.stringify(finish)).toMatchObject({
        outcome: 'completed',
        marker: 'DONE',
      });
      expect(rig.show(finish.delivery?.branch, 'src/format-duration.js')).toContain('Math.floor');
      expect(rig.server.plane.last('hello')).toMatchObject({ isolation: 'docker' });
      expect(await containers()).toEqual([]);
    });

    it('delivers what the agent committed by itself', async () => {
      rig.provider.setScript(commitsItself);
      const runner = await rig.run();
      await rig.offer();
      const finish = await rig.finished(runner);
      expect(rig.show(finish.delivery?.branch, 'agent.txt')).toContain('made by the agent');
    });

    it('goes on with a running turn after kill -9 of the runner', async () => {
      rig.provider.setScript((request) => {
        const step = fixFailingTest()(request);
        return request.stepIndex === 2 ? { ...step, delayMs: 5_000 } : step;
      });
      const one = await rig.run();
      await rig.offer();
      await rig.until('the second command', () => rig.provider.requests.length >= 3, one);
      one.child.kill('SIGKILL');
      await one.exit;
      const two = await rig.run();
      const finish = await rig.finished(two);
      expect(finish, JSON.stringify(finish)).toMatchObject({
        outcome: 'completed',
        marker: 'DONE',
      });
      expect(rig.events('container').map(({ state }) => state)).toEqual(['started', 'exited']);
      expect(rig.show(finish.delivery?.branch, 'src/format-duration.js')).toContain('Math.floor');
    });

    it('leaves no container running when the runner is killed and never comes back', async () => {
      rig.server.plane.ttlMs = 24_000;
      rig.provider.setScript(slow());
      const runner = await rig.run();
      await rig.offer();
      await rig.until('the command', () => rig.events('item').length > 0, runner);
      await rig.until('a renewal', () => rig.server.plane.all('renew').length > 1, runner);
      runner.child.kill('SIGKILL');
      await runner.exit;
      const running = async (): Promise<unknown[]> => {
        const filters = { label: [ownLabel()], status: ['running'] };
        return new Docker().listContainers({ filters });
      };
      expect((await running()).length).toBeGreaterThan(0);
      await expect.poll(running, { timeout: 40_000, interval: 250 }).toEqual([]);
    });

    it('ends a running turn when it is cancelled', async () => {
      rig.provider.setScript(slow());
      const runner = await rig.run();
      await rig.offer();
      await rig.until('the command', () => rig.events('item').length > 0, runner);
      rig.server.plane.say({ type: 'cancel', ...order, reason: 'asked to', graceMs: 2_000 });
      expect(await rig.finished(runner)).toMatchObject({
        outcome: 'cancelled',
        message: 'asked to',
      });
      expect(await containers()).toEqual([]);
    });

    it('survives a command that was killed for memory, and says so', async () => {
      rig.provider.setScript(({ stepIndex }) =>
        stepIndex === 0
          ? exec(`node -e "const a=[];for(;;)a.push(Buffer.alloc(1<<24,1))"; echo ended with $?`)
          : say('That was too much.\n\nSWITCHYARD_STATUS: BLOCKED'),
      );
      const runner = await rig.run();
      const memoryBytes = 512 * 1024 * 1024;
      await rig.offer({ sandbox: { memoryBytes, cpus: 2, pids: 512, tmpfsBytes: 2 ** 26 } });
      const { outcome } = await rig.finished(runner);
      const notices = rig.events('notice').map(({ message }) => message);
      // The kernel chooses what it kills: mostly the command, and the engine goes on.
      const said = outcome === 'oom' || notices.join().includes('memory limit');
      expect(said, `${outcome}: ${notices.join()}`).toBe(true);
    });
  },
);
