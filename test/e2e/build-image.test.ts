import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startBareDaemon } from '../support/e2e/start-bare-daemon.ts';
import { nodeCommand, runnerConnected, startService } from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';
import { until } from '../support/e2e/until.ts';

const QUESTION = 'Docker runs here, but the sandbox image is missing. Build it now?';
/** Why this daemon cannot be helped: it comes from the build. */
const FAILURE = 'the engine exists for x86_64 and aarch64';
const WAIT_MS = 60_000;

describe('where Docker runs and the sandbox image is missing', { timeout: 180_000 }, () => {
  let folder = '';
  let daemon: Awaited<ReturnType<typeof startBareDaemon>>;
  let env: Record<string, string>;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-e2e-'));
    daemon = await startBareDaemon(folder);
    env = { DOCKER_HOST: daemon.dockerHost, XDG_CACHE_HOME: join(folder, 'cache') };
  });
  afterEach(async () => {
    await daemon.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** As in a terminal: a pseudo-terminal stands between. */
  function atTerminal(...args: string[]): { child: ChildProcess; shown(): string } {
    const words = [...nodeCommand, ...args].map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qefc', words, '/dev/null'], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()));
    return { child, shown: () => shown };
  }
  const shows = (terminal: { shown(): string }, text: string) =>
    until(terminal.shown, (shown) => shown.includes(text), { what: text, timeoutMs: WAIT_MS });
  const flags = () => ['--port', '0', '--no-open', '--data-dir', join(folder, 'data')];

  it.skipIf(process.platform !== 'linux').each([
    ['yes, by Enter', '\r', FAILURE],
    ['no', 'n\r', 'The Runners page can build it later'],
  ])('start asks once at a terminal, and obeys: %s', async (_name, answer, expected) => {
    const terminal = atTerminal('start', ...flags());
    const ended = new Promise<number | null>((resolve) => terminal.child.once('exit', resolve));
    try {
      await shows(terminal, QUESTION);
      // It serves while it asks.
      expect(terminal.shown()).toMatch(/^Address +http/m);
      terminal.child.stdin?.write(answer);
      await shows(terminal, expected);
      expect(terminal.shown().split(QUESTION)).toHaveLength(2);
    } finally {
      // As from the keyboard.
      terminal.child.stdin?.write('\u0003');
      expect(await ended).toBe(130);
    }
  });

  it.skipIf(process.platform !== 'linux')('Ctrl-C answers the question with the end', async () => {
    const terminal = atTerminal('start', ...flags());
    const ended = new Promise<number | null>((resolve) => terminal.child.once('exit', resolve));
    await shows(terminal, QUESTION);
    terminal.child.stdin?.write('\u0003');
    expect(await ended).toBe(130);
  });

  it('asks nobody without a terminal; the API builds and says why it failed', async () => {
    const service = await startService({ dataDir: join(folder, 'data'), env });
    try {
      await runnerConnected(service);
      const [runner] = await service.client.runners();
      expect(runner).toMatchObject({ isolation: 'process' });
      expect(runner?.warnings.join()).toContain('the sandbox image is missing');
      const path = `/runners/${runner?.runnerId}/sandbox-image`;
      expect(await service.client.must('GET', path)).toMatchObject({ state: 'missing' });
      expect(await service.client.must('POST', path, {})).toMatchObject({ source: 'build' });
      const image = await until(
        () => service.client.must<{ state: string; problem: string }>('GET', path),
        ({ state }) => state === 'failed',
        { what: 'the failure', timeoutMs: WAIT_MS },
      );
      expect(image.problem).toContain(FAILURE);
      expect(service.output()).not.toContain(QUESTION);
    } finally {
      await service.stop();
      await service.kill();
    }
  });

  it('builds without a question with --build-image, and pulls what is configured', async () => {
    const args = ['--build-image', '--image', 'registry.test/own:1'];
    const service = await startService({ dataDir: join(folder, 'data'), args, env });
    try {
      const told = () => service.output();
      const failed = 'the image registry.test/own:1 was not pulled';
      await until(told, (output) => output.includes(failed), { what: failed, timeoutMs: WAIT_MS });
      await runnerConnected(service);
      expect(service.output()).not.toContain(QUESTION);
    } finally {
      await service.stop();
      await service.kill();
    }
  });

  it('ends with 3 when a build asked for by hand finds no daemon', async () => {
    const nobody = { ...env, DOCKER_HOST: `unix://${join(folder, 'nobody.sock')}` };
    const ended = await switchyard(['runner', 'build-image'], folder, nobody);
    expect(ended.code, ended.stderr).toBe(3);
    expect(ended.stderr).toContain('Start Docker, or set DOCKER_HOST');
    const other = await switchyard(['runner', 'build-image'], folder, env);
    expect(other.code, other.stderr).toBe(1);
    expect(other.stderr).toContain(FAILURE);
  });
});
