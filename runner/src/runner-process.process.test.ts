import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { commitsItself, slow } from '../../test/support/scripted-model/scripts.ts';
import { say } from '../../control-plane/scripted-provider/step.ts';
import { selfSigned } from '../../test/support/github/self-signed.ts';
import { ConnectProxy } from './connection/testing/connect-proxy.ts';
import { findMarked } from './container/process/process-identity.ts';
import type { RunnerRig } from './testing/runner-rig.ts';
import { API_KEY, ATTEMPT, makeRunnerRig } from './testing/runner-rig.ts';

let rig: RunnerRig;
beforeEach(async () => {
  rig = await makeRunnerRig('process');
});
afterEach(() => rig.dispose());

describe('the runner process', { timeout: 120_000 }, () => {
  it('says how it is used', async () => {
    const help = rig.spawn(['--help']);
    expect(await help.exit).toBe(0);
    expect(help.stdout()).toContain('join');
    expect(await rig.spawn(['run', '--slots', 'many']).exit).toBe(2);
    expect(await rig.spawn(['dance']).exit).toBe(2);
    const unjoined = rig.spawn(['--data-dir', rig.dataDir]);
    expect(await unjoined.exit).toBe(3);
    expect(unjoined.stderr()).toContain('join URL --token');
    const url = rig.server.url;
    const refused = rig.spawn(['join', url, '--token', 'wrong', '--data-dir', rig.dataDir]);
    expect(await refused.exit).toBe(3);
    expect(refused.stderr()).toContain('this token is not valid');
    expect(await readdir(rig.fixture.folder)).not.toContain('data');
  });

  it('takes no folder for repositories that is missing, of the system or its own', async () => {
    await rig.join();
    const start = (folder: string, env: Record<string, string> = {}) =>
      rig.spawn(['run', '--data-dir', rig.dataDir, '--sandbox', 'process', ...flag(folder)], env);
    const flag = (folder: string) => (folder === '' ? [] : ['--allow-folder', folder]);
    const nowhere = join(rig.fixture.folder, 'nowhere');
    for (const [given, words] of [
      [[nowhere], 'there is no such folder'],
      [['/'], 'files of the system'],
      [['/proc/self'], 'files of the system'],
      [[rig.dataDir], 'the folder of a runner'],
      [['', { SWITCHYARD_ALLOW_FOLDERS: `/tmp:${nowhere}` }], 'there is no such folder'],
    ] as const) {
      const [folder, env] = given;
      const runner = start(folder, env);
      expect(await runner.exit, words).toBe(3);
      expect(runner.stderr()).toContain(words);
    }
  });

  it('joins once and takes an issue to a pushed branch with the real engine', async () => {
    await rig.join();
    expect((await stat(join(rig.dataDir, 'identity.json'))).mode & 0o777).toBe(0o600);
    const { server } = rig;
    const runner = await rig.run();
    const runnerId = `${server.runnerIdPrefix}1`;
    expect(runner.stdout()).toContain(`runner ready ${runnerId}`);
    const warnings = [expect.stringContaining('processes')];
    expect(server.plane.last('hello')).toMatchObject({ isolation: 'process', warnings });
    expect(server.tokens.at(-1)).toMatchObject({ iss: runnerId, sub: runnerId });
    await rig.offer();
    const finish = await rig.finished(runner);
    expect(finish).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(finish.summary).toContain('all three tests pass');
    expect(finish.usage?.total).toBeGreaterThan(0);
    const { branch = '', commitSha, diffBlob = '' } = finish.delivery ?? {};
    expect(rig.fixture.git(rig.fixture.remotePath, 'rev-parse', branch).trim()).toBe(commitSha);
    expect(rig.show(branch, 'src/format-duration.js')).toContain('Math.floor');
    expect(server.blobs.get(diffBlob)?.toString()).toContain('+    const count = Math.floor');
    expect(rig.events('thread')).toMatchObject([{ resumed: false, engineVersion: '0.169.0' }]);
    const said = JSON.stringify([server.plane.received, runner.stderr(), runner.stdout()]);
    expect(said).not.toContain(API_KEY);
    runner.child.kill('SIGTERM');
    expect(await runner.exit, runner.stderr()).toBe(0);
  });

  it('works through the proxy of HTTPS_PROXY, whose password nobody is told', async () => {
    const host = 'plane.switchyard.test';
    const { key, cert, certPath } = await selfSigned(rig.fixture.folder, `DNS:${host}`);
    const port = Number(new URL(rig.server.url).port);
    const entrance = createServer({ key, cert }, (socket) => {
      const inner = connect(port, '127.0.0.1');
      socket.pipe(inner).pipe(socket);
      socket.on('error', () => socket.destroy()).on('close', () => inner.destroy());
      inner.on('error', () => inner.destroy()).on('close', () => socket.destroy());
    });
    await new Promise<void>((resolve) => entrance.listen(0, '127.0.0.1', resolve));
    const proxy = new ConnectProxy();
    const at = await proxy.listen();
    proxy.hosts.set(`${host}:443`, (entrance.address() as AddressInfo).port);
    proxy.credentials = 'sam:known-to-the-way-out';
    const HTTPS_PROXY = `http://sam:known-to-the-way-out@${at}`;
    const env = { HTTPS_PROXY, NO_PROXY: '', NODE_EXTRA_CA_CERTS: certPath, DEBUG: '*' };
    const words = ['join', `https://${host}`, '--token', 'enr_once', '--data-dir', rig.dataDir];
    const joining = rig.spawn(words, env);
    expect(await joining.exit, joining.stderr()).toBe(0);
    const runner = await rig.run([], env);
    expect(runner.stderr()).toContain(`reached through a proxy" proxy=${at}`);
    await rig.offer();
    const { delivery } = await rig.finished(runner);
    expect(rig.server.blobs.get(delivery?.diffBlob ?? '')?.toString()).toContain('Math.floor');
    expect(new Set(proxy.asked.map(({ target }) => target))).toEqual(new Set([`${host}:443`]));
    runner.child.kill('SIGTERM');
    expect(await runner.exit, runner.stderr()).toBe(0);
    const refused = rig.spawn(words, { ...env, HTTPS_PROXY: `http://sam:not-this-one@${at}` });
    expect(await refused.exit).toBe(1);
    expect(refused.stderr()).toContain('does not take the user and password of HTTPS_PROXY (407)');
    const unusable = rig.spawn(words, { ...env, HTTPS_PROXY: 'socks5://sam:not-this-one@x.test' });
    expect(await unusable.exit).toBe(3);
    const said = [joining, runner, refused, unusable].flatMap((one) => [
      one.stdout(),
      one.stderr(),
    ]);
    const all = JSON.stringify([said, rig.server.plane.received]);
    for (const secret of ['known-to-the-way-out', 'not-this-one']) {
      expect(all).not.toContain(secret);
      expect(all).not.toContain(Buffer.from(`sam:${secret}`).toString('base64'));
    }
    entrance.close();
    await proxy.close();
    // The rig's last runner knows nothing of the proxy.
    const identityPath = join(rig.dataDir, 'identity.json');
    const identity = await readFile(identityPath, 'utf8');
    await writeFile(identityPath, identity.replace(`https://${host}`, rig.server.url));
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'goes on with a running turn after %s, with nothing lost and nothing run twice',
    async (signal) => {
      await rig.join();
      rig.provider.setScript((request) => {
        const step = fixFailingTest()(request);
        return request.stepIndex === 2 ? { ...step, delayMs: 4_000 } : step;
      });
      const one = await rig.run();
      await rig.offer();
      await rig.until('the second command', () => rig.provider.requests.length >= 3, one);
      one.child.kill(signal);
      await one.exit;
      const two = await rig.run();
      const finish = await rig.finished(two);
      expect(finish).toMatchObject({ outcome: 'completed', marker: 'DONE' });
      const held = [{ attemptId: ATTEMPT, phase: 'running' }];
      expect(rig.server.plane.last('hello')?.held).toMatchObject(held);
      expect(rig.events('container').map(({ state }) => state)).toEqual(['started', 'exited']);
      expect(new Set(rig.provider.requests.map(({ threadId }) => threadId)).size).toBe(1);
      expect(rig.show(finish.delivery?.branch, 'src/format-duration.js')).toContain('Math.floor');
    },
  );

  it('goes on with the work and the thread of an attempt that another host began', async () => {
    await rig.join();
    rig.provider.setScript((request) =>
      request.stepIndex === 0
        ? commitsItself(request)
        : say('Not ready.\n\nSWITCHYARD_STATUS: BLOCKED'),
    );
    const one = await rig.run();
    const checkpoints = { pushWorkInProgress: true, uploadSession: true };
    await rig.offer({ checkpoints });
    expect(await rig.finished(one)).toMatchObject({ marker: 'BLOCKED' });
    const { commitSha, sessionBlob, threadId } = rig.events('checkpoint').at(-1) ?? {};
    one.child.kill('SIGTERM');
    await one.exit;
    for (const folder of ['work', 'sessions']) {
      await rm(join(rig.dataDir, folder), { recursive: true, force: true });
    }
    rig.provider.setScript(() => say('Now it is.\n\nSWITCHYARD_STATUS: DONE'));
    const two = await rig.run();
    rig.server.plane.stored.clear();
    rig.server.plane.finished.clear();
    await rig.offer({
      checkpoints,
      resumeThreadId: String(threadId),
      resume: { commitSha: String(commitSha), sessionBlob: String(sessionBlob) },
    });
    const finish = await rig.finished(two);
    expect(finish).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(rig.events('thread')).toMatchObject([{ threadId, resumed: true }]);
    expect(rig.show(finish.delivery?.branch, 'agent.txt')).toContain('made by the agent');
  });

  it('ends a running agent and gives its lease back when started to do so', async () => {
    rig.provider.setScript(slow());
    const env = { SWITCHYARD_JOIN_TOKEN: 'enr_once', SWITCHYARD_CONTROL_PLANE: rig.server.url };
    const runner = await rig.run(['--stop-attempts-on-exit'], env);
    await rig.offer();
    await rig.until('the command', () => rig.events('item').length > 0, runner);
    runner.child.kill('SIGTERM');
    expect(await runner.exit, runner.stderr()).toBe(0);
    const released = { attemptId: ATTEMPT, container: 'dead' };
    expect(rig.server.plane.last('released')).toMatchObject(released);
    expect(await sleepers()).toEqual([]);
  });
});

describe('a runner that is killed and never comes back', { timeout: 120_000 }, () => {
  it('leaves neither engine nor command behind once its lease is over', async () => {
    await rig.join();
    rig.server.plane.ttlMs = 24_000;
    rig.provider.setScript(slow());
    const runner = await rig.run();
    await rig.offer();
    await rig.until('the command', async () => (await sleepers()).length > 0, runner);
    runner.child.kill('SIGKILL');
    await runner.exit;
    expect(await sleepers()).not.toEqual([]);
    const marked = async (): Promise<number[]> =>
      findMarked(`SWITCHYARD_ATTEMPT=${ATTEMPT}-1-${rig.server.runnerIdPrefix}1`);
    expect(await marked()).not.toEqual([]);
    await expect.poll(marked, { timeout: 40_000, interval: 250 }).toEqual([]);
    expect(await sleepers()).toEqual([]);
  });
});

/** Processes of this test's agents that still sleep. */
async function sleepers(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!command.includes('sleep\u0000300')) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (environment.includes(rig.dataDir)) found.push(command);
  }
  return found;
}
