import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type InTerminal, inTerminal } from '../support/e2e/in-terminal.ts';
import { nodeCommand, runnerConnected, startService } from '../support/e2e/start-service.ts';
import { pythonPart } from '../support/python.ts';
import { until } from '../support/e2e/until.ts';

const TIMEOUT_MS = 180_000;
const TELL_TIMEOUT_MS = 90_000;
const LOG_LINE = /^(ts=|time=|\{)/m;

let folder: string;
let terminal: InTerminal | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-terminal-'));
});
afterEach(async () => {
  await terminal?.interrupt();
  terminal = null;
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Until everything that a person is told at the start stands there. */
const told = (shown: () => string) =>
  until(shown, (text) => /^Stop/m.test(text), { what: 'how to stop', timeoutMs: TELL_TIMEOUT_MS });

function start(args: readonly string[] = [], env: Record<string, string> = {}): InTerminal {
  const flags = ['--port', '0', '--no-open', '--data-dir', join(folder, 'data'), ...args];
  terminal = inTerminal([...nodeCommand, 'start', ...flags], {
    cwd: folder,
    env: { LOG_LEVEL: '', SERVICE_LOG_FORMAT: '', ...env },
  });
  return terminal;
}

describe.skipIf(!pythonPart().available)('start in a terminal', { timeout: TIMEOUT_MS }, () => {
  it('prints where it is, where it keeps its data, how agents are isolated and how to stop', async () => {
    const { shown, interrupt } = start(['--sandbox', 'process']);
    await told(shown);
    const lines = shown().split('\n');
    const own = lines.filter((line) => /^(Address|Data folder|Isolation|Stop) /.test(line));
    expect(own).toEqual([
      expect.stringMatching(/^Address {6}http:\/\/127\.0\.0\.1:\d+$/),
      `Data folder  ${join(folder, 'data')}`,
      expect.stringMatching(/^Isolation {4}none: agents run as plain processes/),
      'Stop         Ctrl-C',
    ]);
    expect(shown()).not.toMatch(LOG_LINE);
    expect(shown()).not.toContain('ready http');
    expect(await interrupt()).toBe(130);
    terminal = null;
    expect(shown()).not.toMatch(LOG_LINE);
  });

  it('logs when it is asked to', async () => {
    const { shown } = start(['--no-runner', '--logs']);
    await told(shown);
    expect(shown()).toMatch(/msg=/);
    expect(shown()).toMatch(/^Isolation {4}no agents run here/m);
  });

  it.each<Record<string, string>>([{ SERVICE_LOG_FORMAT: 'json' }, { LOG_LEVEL: 'info' }])(
    'logs where the environment asks for it: %j',
    async (env) => {
      const { shown } = start(['--no-runner'], env);
      await told(shown);
      expect(shown()).toMatch(/msg[="]/);
    },
  );

  it('still says what a person has to know', async () => {
    const { shown } = start([], { DOCKER_HOST: 'unix:///nonexistent/docker.sock' });
    await told(shown);
    expect(shown()).toMatch(/^warning: Agents run as plain processes: .*Docker is not usable/m);
    expect(shown().match(/plain processes/g)).toHaveLength(1);
    expect(shown()).not.toMatch(LOG_LINE);
  });
});

it(
  'start without a terminal logs as before and says when it is ready',
  { timeout: TIMEOUT_MS },
  async () => {
    const args = ['--sandbox', 'process'];
    const service = await startService({ dataDir: join(folder, 'data'), args });
    await runnerConnected(service);
    await service.stop();
    expect(service.output()).toMatch(/^ready http/m);
    expect(service.output()).toMatch(/msg=welcomed/);
    expect(service.output()).not.toMatch(/^Data folder/m);
  },
);
