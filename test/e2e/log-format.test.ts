import { mkdtemp, rm } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  repositoryRoot,
  runnerConnected,
  type RunningService,
  startService,
} from '../support/e2e/start-service.ts';

const env = { SERVICE_LOG_FORMAT: 'json' };

let folder: string;
let service: RunningService | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-logs-'));
});
afterEach(async () => {
  await service?.kill();
  service = null;
  await rm(folder, { recursive: true, force: true });
});

/** Lines that are no JSON object with time, level and message; `ready …` is for whoever waits. */
function otherLines(output: string): string[] {
  const lines = output.split('\n').filter((line) => line !== '' && !/^(runner )?ready /.test(line));
  return lines.filter((line) => {
    try {
      const { time, level, msg } = JSON.parse(line) as Record<string, unknown>;
      return [time, level, msg].some((part) => typeof part !== 'string');
    } catch {
      return true;
    }
  });
}

it('SERVICE_LOG_FORMAT=json holds for every line of the start, the control plane and its runner', async () => {
  const command = [
    'node',
    join(repositoryRoot, 'control-plane/cli/bootstrap.mjs'),
    'start',
  ] as const;
  const args = ['--sandbox', 'process'];
  service = await startService({ dataDir: folder, command: [...command], args, env });
  await runnerConnected(service);
  expect(service.output()).toMatch(/^ready http/m);
  await service.stop();
  expect(otherLines(service.output())).toEqual([]);
  // The runner's are among them.
  expect(service.output()).toContain('"msg":"welcomed"');
});

it('SERVICE_LOG_FORMAT=json holds for what tools say while the start installs and builds', () => {
  const step = pathToFileURL(join(repositoryRoot, 'control-plane/cli/bootstrap/run-step.mjs'));
  const tool = "console.log('\\u001b[33mone\\u001b[0m\\n\\n  two'); console.error('three')";
  const script = `
    import { runStep, watchSignals } from ${JSON.stringify(step.href)};
    await runStep(watchSignals(), { what: 'x', command: process.execPath,
      args: ['-e', ${JSON.stringify(tool)}], cwd: '.', env: process.env, timeoutMs: 20_000 });
    process.exit();`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(otherLines(stderr)).toEqual([]);
  const words = stderr.split('\n').filter((line) => line !== '');
  expect(words.map((line) => (JSON.parse(line) as { msg: string }).msg).toSorted()).toEqual([
    'one',
    'three',
    'two',
  ]);
});

it('SERVICE_LOG_FORMAT=json also holds for why a process ends', async () => {
  service = await startService({ dataDir: folder, args: ['--no-runner'], env });
  const port = Number(new URL(service.url).port);
  const second = { dataDir: join(folder, 'second'), port, args: ['--no-runner'], env };
  const failure = await startService(second).then(
    () => '',
    (error: unknown) => String(error),
  );
  expect(failure).toContain('"level":"fatal"');
  const words = failure.slice(failure.indexOf('\n') + 1);
  expect(otherLines(words)).toEqual([]);
});
