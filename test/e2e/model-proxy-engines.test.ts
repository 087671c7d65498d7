import { afterEach, describe, expect, it } from 'vitest';
import type { WireApi } from '../../shared/src/model-providers/wire-api.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
} from '../../control-plane/scripted-provider/scripted-provider.ts';
import { exec, say, type Step, type Usage } from '../../control-plane/scripted-provider/step.ts';
import type { EngineEvent } from '../../runner/src/engine/agent-engine.ts';
import type { ModelRefusal } from '../../runner/src/egress/model/model-report.ts';
import { hashToken } from '../../runner/src/egress/grant.ts';
import { ProxyServer } from '../../runner/src/egress/proxy-server.ts';
import { engineNamed } from '../../runner/src/engine/engines.ts';
import { hostProgram } from '../../runner/src/engine/parts/host-program.ts';
import { type Bench, openBench } from '../../runner/src/engine/testing/engine-bench.ts';
import { until } from '../support/e2e/until.ts';
import { refusal } from '../support/scripted-model/faults.ts';

const OWNER = { attemptId: 'A1', epoch: 1 };
const TOKEN = 'attempt-token';
const KEY = 'provider-key-1';
const TURN_LIMIT_MS = 60_000;

const engines: readonly (readonly [engine: string, wireApi: WireApi])[] = [
  ['codex', 'responses'],
  ['opencode', 'responses'],
  ['opencode', 'chat'],
  ['opencode', 'messages'],
  ['opencode', 'gemini'],
  ['claude', 'messages'],
];
const FAR_S = 7_200;
const refusals: readonly { step: Step; kind: ModelRefusal['kind']; isFar?: boolean }[] = [
  { step: refusal('unauthorized'), kind: 'auth_failed' },
  { step: refusal('rate_limit', { retryAfterS: FAR_S }), kind: 'usage_limited', isFar: true },
  { step: refusal('quota'), kind: 'usage_limited' },
  { step: refusal('server_error'), kind: 'provider_unreachable' },
  { step: refusal('overloaded'), kind: 'provider_unreachable' },
  { step: refusal('context'), kind: 'context_exceeded' },
];
/** Engines that are not installed here have no case. */
const isThere = (name: string): boolean =>
  engineNamed(name) !== null && (name === 'codex' || hostProgram(name) !== null);

const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).toReversed()) await close();
});

type World = { bench: Bench; provider: ScriptedProvider; proxy: ProxyServer };

/** A real engine that asks a scripted provider through the proxy, as in an attempt. */
async function start(name: string, wireApi: WireApi, script: readonly Step[]): Promise<World> {
  const provider = await startScriptedProvider({ script, apiKey: KEY });
  closes.push(() => provider.close());
  const proxy = new ProxyServer();
  closes.push(() => proxy.close());
  await proxy.listen();
  const version = wireApi === 'gemini' ? '/v1beta' : '/v1';
  await proxy.grant({
    ...OWNER,
    tokenHash: hashToken(TOKEN),
    apiKey: KEY,
    wireApi,
    socketFolder: null,
    upstreamBaseUrl: provider.url.replace(/\/v1$/, version),
    expiresAtMs: Date.now() + 600_000,
  });
  const engine = engineNamed(name);
  if (engine === null) throw new Error(`no engine ${name}`);
  const providerUrl = `http://127.0.0.1:${proxy.hostPort}/v1`;
  const bench = await openBench({ engine, providerUrl, wireApi, token: TOKEN });
  closes.push(() => bench.dispose());
  await bench.startThread();
  return { bench, provider, proxy };
}

describe.each(engines.filter(([name]) => isThere(name)))(
  'the proxy of %s in the format %s',
  { timeout: 120_000 },
  (name, wireApi) => {
    it('counts exactly what the provider told', async () => {
      const first: Usage = { input: 1_000, cachedInput: 200, output: 50, reasoning: 10 };
      const second: Usage = { input: 2_000, cachedInput: 900, output: 30, reasoning: 4 };
      const script = [
        { ...exec('echo one'), usage: first },
        { ...say('Two.'), usage: second },
      ];
      const { bench, proxy, provider } = await start(name, wireApi, script);
      await bench.startTurn('begin');
      await bench.until('the end', ({ kind }) => kind === 'turn_ended', TURN_LIMIT_MS);
      const report = proxy.modelReport(OWNER);
      expect(report).toMatchObject({ answers: 2, uncounted: 0, refusal: null });
      expect(report?.tokens).toEqual({
        input: 3_000,
        cachedInput: 1_100,
        output: 80,
        total: 3_080,
        reasoning: wireApi === 'messages' ? 0 : 14,
      });
      expect(Object.keys(report?.byModel ?? {})).toEqual(['scripted-model']);
      expect(provider.requests.every(({ authorized }) => authorized)).toBe(true);
    });

    it('knows refusals for what they are', async () => {
      const { bench, proxy, provider } = await start(name, wireApi, []);
      for (const { step, kind, isFar = false } of refusals) {
        provider.setScript(() => step);
        const beganMs = Date.now();
        const turnId = await bench.startTurn('begin');
        const report = await until(
          () => proxy.modelReport(OWNER),
          (found) => (found?.refusal?.atMs ?? 0) >= beganMs,
          { what: `a refusal as ${kind}`, timeoutMs: TURN_LIMIT_MS },
        );
        expect(report?.refusal).toMatchObject({ kind });
        const waitMs = (report?.refusal?.resetAtMs ?? beganMs) - beganMs;
        expect(waitMs >= FAR_S * 1_000).toBe(isFar);
        await bench.session.interrupt();
        const hasEnded = (event: EngineEvent): boolean =>
          event.kind === 'turn_ended' && event.turnId === turnId;
        await bench.until('the end', hasEnded, TURN_LIMIT_MS);
      }
    });
  },
);
