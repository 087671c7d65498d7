import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Issue } from '@switchyard/shared/api/work/issue';
import { failingTestProject } from '../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
} from '../../control-plane/scripted-provider/scripted-provider.ts';
import { PageShell } from '../support/docs/page-shell.ts';
import { type ShellCommand, shellCommands } from '../support/docs/shell-commands.ts';
import { makeRepository } from '../support/e2e/git-repository.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { repositoryRoot } from '../support/e2e/start-service.ts';
import { until } from '../support/e2e/until.ts';

/**
 * The command of an installed package, to run the pages with it; left out, this checkout's, as its npm
 * scripts call it.
 */
const switchyard =
  process.env['SWITCHYARD_COMMAND'] ??
  `node ${join(repositoryRoot, 'control-plane/cli/bootstrap.mjs')}`;

/** Commands that no test can run as they stand, and why. All others of these pages are run. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm test': 'runs this test',
  'SERVICE_PUBLIC_ORIGIN=https://switchyard.example npm run doctor':
    'asks an address that only its owner has',
};

let folder = '';
let provider: ScriptedProvider;
let shell: PageShell;
let port = 0;
const apiKey = `e2e-${randomBytes(16).toString('hex')}`;
const token = randomBytes(16).toString('hex');
/** Runners are known by these after the README: the service's own, and the machine that is added. */
const MACHINES = 2;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-pages-'));
  provider = await startScriptedProvider({ script: fixFailingTest(), apiKey });
  port = await freePort();
  const repository = await makeRepository(folder, 'app', { files: failingTestProject });
  // A request that is refused fails, as a reader would see.
  await writeFile(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
  const sandbox = ['--sandbox', 'process'];
  shell = new PageShell({
    folder,
    switchyard,
    values: new Map([
      ['127.0.0.1:4000', `127.0.0.1:${port}`],
      ['CONTROL-PLANE:4000', `127.0.0.1:${port}`],
      ['file:///srv/git/app.git', repository.url],
      ['file:///home/me/git/app.git', repository.url],
      ['sk-…', apiKey],
      ['_TOKEN=…', `_TOKEN=${token}`],
    ]),
    flags: {
      demo: ['--once', '--no-open', '--port', '0', ...sandbox, '--data-dir', join(folder, 'demo')],
      start: [
        '--no-open',
        '--port',
        String(port),
        '--data-dir',
        join(folder, 'data'),
        ...sandbox,
        '--slots',
        '1',
      ],
      runner: [...sandbox, '--data-dir', join(folder, 'machine')],
      doctor: ['--port', String(port), '--data-dir', join(folder, 'data')],
      'runner join': ['--data-dir', join(folder, 'machine')],
    },
    env: {
      CURL_HOME: folder,
      SWITCHYARD_ALLOW_FOLDERS: folder,
      SERVICE_CONFIG__engine__model: 'scripted-model',
      SERVICE_CONFIG__engine__provider__baseUrl: provider.url,
      SERVICE_CONFIG__engine__provider__name: 'scripted',
    },
  });
});

afterEach(async () => {
  await shell.close();
  await provider.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

const client = () => new ServiceClient(`http://127.0.0.1:${port}`, () => '', token);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

/** The token that a person would have copied from the page before. */
async function withJoinToken({ place, text }: ShellCommand): Promise<ShellCommand> {
  if (!text.includes('enr_…')) return { place, text };
  const { body } = await client().ask<{ token: string }>('POST', '/api/v1/runners/tokens', {});
  return { place, text: text.replace('enr_…', body.token) };
}

/** Waits until the issue has a pull request to review. */
async function inReview(issue: string): Promise<void> {
  const look = async () => (await client().ask<Issue>('GET', `/api/v1/${issue}`)).body;
  const what = `a pull request of ${issue}`;
  await until(look, ({ state }) => state === 'In Review', { what, timeoutMs: 90_000 });
}

async function connectedRunners(): Promise<string[]> {
  const runners = await client().runners();
  return runners.filter(({ status }) => status === 'connected').map(({ name }) => name);
}

describe('the commands of', () => {
  it('README.md lead to a pull request and to a second machine', async () => {
    const ran: string[] = [];
    for (const command of shellCommands('README.md')) {
      if (command.text in NOT_RUN) continue;
      await shell.run(await withJoinToken(command));
      ran.push(command.text);
      if (command.text.includes('/local/issues')) await inReview('SY-1');
    }
    expect(ran.length).toBeGreaterThan(6);
    await expect.poll(async () => (await connectedRunners()).length).toBe(MACHINES);
  }, 300_000);

  it('docs/setup.md start a service behind a proxy', async () => {
    for (const command of shellCommands('docs/setup.md')) {
      if (!(command.text in NOT_RUN)) await shell.run(command);
    }
    expect((await client().ask('GET', '/readyz')).status).toBe(200);
    // Others can reach it, so this machine is nobody in particular.
    const stranger = new ServiceClient(client().url, () => '');
    expect((await stranger.ask('GET', '/api/v1/state')).status).toBe(401);
  }, 120_000);

  it('docs/agents.md end by themselves, and answer what the page says', async () => {
    const answers = new Map<string, string>();
    for (const command of shellCommands('docs/agents.md')) {
      answers.set(command.text, await shell.run(command));
    }
    const json = (text: string) => JSON.parse(answers.get(text) ?? '') as unknown;
    expect(json('switchyard demo --once --json --no-open')).toMatchObject({
      pullRequest: { url: expect.stringMatching(/^http/) },
    });
    const { findings } = json('switchyard doctor --json') as { findings: { status: string }[] };
    expect(findings.filter(({ status }) => !['ok', 'warn'].includes(status))).toEqual([]);
    expect((await client().ask('GET', '/readyz')).status).toBe(200);
    expect((await client().ask('GET', '/api/v1/setup')).status).toBe(200);
  }, 180_000);

  it('these pages are all known: run here, or named with the reason why not', async () => {
    const all = ['README.md', 'docs/setup.md'].flatMap((page) => shellCommands(page));
    const texts = new Set(all.map(({ text }) => text));
    expect(Object.keys(NOT_RUN).filter((text) => !texts.has(text))).toEqual([]);
    const { scripts } = JSON.parse(
      await readFile(join(repositoryRoot, 'package.json'), 'utf8'),
    ) as { scripts: Record<string, string> };
    const named = all.flatMap(({ text }) => /\bnpm (?:run )?([\w:-]+)/.exec(text)?.[1] ?? []);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
