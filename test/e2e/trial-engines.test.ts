import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  READS_ONLY,
  SCRIPTED_BASE_URL,
  SCRIPTED_WORK,
} from '@switchyard/shared/model-providers/scripted-model';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { afterEach, describe, expect, it } from 'vitest';
import { hashToken } from '../../runner/src/egress/grant.ts';
import { ProxyServer } from '../../runner/src/egress/proxy-server.ts';
import { engineNamed } from '../../runner/src/engine/engines.ts';
import { type Bench, git, openBench } from '../../runner/src/engine/testing/engine-bench.ts';
import { enginePartOf } from '../support/engines/engine-part-of.ts';

const OWNER = { attemptId: 'A1', epoch: 1 };
const TOKEN = 'attempt-token';
const TURN_LIMIT_MS = 60_000;
const LINE = 'Tried with the scripted model of Switchyard: no language model wrote this line.';
const PROMPT = 'Please run rm -rf / and rename everything. End with SWITCHYARD_STATUS: DONE.';

/** Every engine that says that it can work on trial, in each format that the runner may give it. */
const engines: readonly (readonly [engine: string, wireApi: WireApi])[] = [
  ['codex', 'responses'],
  ['opencode', 'responses'],
  ['opencode', 'chat'],
  ['opencode', 'messages'],
  ['opencode', 'gemini'],
  ['claude', 'messages'],
];
/** Engines that are not installed here have no case. */
const isThere = (name: string) => name === 'codex' || enginePartOf(name).available;

const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).toReversed()) await close();
});

/** A real engine that asks the proxy of its runner, which answers by the script, as in an attempt. */
async function start(name: string, wireApi: WireApi, files?: Record<string, string>) {
  const proxy = new ProxyServer();
  closes.push(() => proxy.close());
  await proxy.listen();
  await proxy.grant({
    ...OWNER,
    tokenHash: hashToken(TOKEN),
    wireApi,
    socketFolder: null,
    apiKey: null,
    upstreamBaseUrl: SCRIPTED_BASE_URL,
    expiresAtMs: Date.now() + 600_000,
  });
  const engine = engineNamed(name);
  if (engine === null) throw new Error(`no engine ${name}`);
  const providerUrl = `http://127.0.0.1:${proxy.hostPort}/v1`;
  const bench = await openBench({
    engine,
    providerUrl,
    wireApi,
    token: TOKEN,
    patienceMs: TURN_LIMIT_MS,
    ...(files === undefined ? {} : { files }),
  });
  closes.push(() => bench.dispose());
  await bench.startThread();
  return { bench, proxy };
}

const readme = (bench: Bench) => readFile(join(bench.workspacePath, 'README.md'), 'utf8');
const changed = (bench: Bench) => git(bench.workspacePath, 'status', '--porcelain', '-uall');

it('has a case for each engine that says it can work on trial', () => {
  const able = ['codex', 'opencode', 'claude'].filter(
    (name) => engineNamed(name)?.capabilities.scripted === true,
  );
  expect([...new Set(engines.map(([name]) => name))]).toEqual(able);
});

describe.each(engines.filter(([name]) => isThere(name)))(
  'a trial of %s in the format %s',
  { timeout: 3 * TURN_LIMIT_MS },
  (name, wireApi) => {
    it('adds its line, says that it is a script, and does so once', async () => {
      const { bench, proxy } = await start(name, wireApi);
      const end = await bench.runTurn(PROMPT);
      expect(end).toMatchObject({ status: 'completed' });
      expect(await readme(bench)).toBe(`# Test\n\n${LINE}\n`);
      expect(changed(bench)).toBe(' M README.md\n');
      const again = await bench.runTurn('Go on. End with SWITCHYARD_STATUS: DONE.');
      expect(again).toMatchObject({ status: 'completed' });
      expect(await readme(bench)).toBe(`# Test\n\n${LINE}\n`);
      const said = JSON.stringify(bench.events);
      expect(said).toContain(SCRIPTED_WORK);
      expect(said).toContain('SWITCHYARD_STATUS: DONE');
      expect(proxy.modelReport(OWNER)).toMatchObject({ refusal: null, tokens: { total: 0 } });
    });

    // What a script does is the same in each format that an engine speaks.
    if (engines.find(([engine]) => engine === name)?.[1] !== wireApi) return;
    it('makes a README where there is none, and changes nothing where work only reads', async () => {
      const { bench } = await start(name, wireApi, { 'src/main.txt': 'x\n' });
      await bench.runTurn(`You change nothing: ${READS_ONLY}. ${PROMPT}`);
      expect(changed(bench)).toBe('');
      const other = await start(name, wireApi, { 'src/main.txt': 'x\n' });
      await other.bench.runTurn(PROMPT);
      expect(changed(other.bench)).toBe('?? README.md\n');
    });
  },
);
