import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineTestOutcome, EngineTestParams } from '@switchyard/shared/protocol/engine-test';
import { deferred } from '@switchyard/shared/deferred';
import { afterEach, describe, expect, it } from 'vitest';
import { say, type Step } from '../../../control-plane/scripted-provider/step.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
} from '../../../control-plane/scripted-provider/scripted-provider.ts';
import type { AgentEngine } from '../engine/agent-engine.ts';
import { quickEngine } from '../engine/codex/testing/quick-engine.ts';
import { oddEngine } from '../engine/codex/testing/odd-engine.ts';
import type { Operator } from './operator.ts';
import { useOperators, WAIT_MS } from './testing/use-operators.ts';

const rig = useOperators();
const providers: ScriptedProvider[] = [];
afterEach(async () => {
  for (const provider of providers.splice(0)) await provider.close();
});

async function answering(script: Step[]): Promise<ScriptedProvider> {
  const provider = await startScriptedProvider({ script });
  providers.push(provider);
  rig.provider.url = provider.url;
  return provider;
}

function test(
  operator: Operator,
  changes: Partial<EngineTestParams> = {},
): Promise<EngineTestOutcome> {
  const provider = { name: 'p', baseUrl: rig.provider.url, wireApi: 'responses' as const };
  const engine = { name: 'codex', model: 'scripted-model', provider };
  const request = { engine, timeoutMs: WAIT_MS, maxTokens: 100_000, ...changes };
  return operator.testTurn(request, new AbortController().signal);
}

/** A provider that refuses every request. */
const refusing = (status: number, code: string): Step => ({
  outputs: [],
  instead: (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `no: ${code}`, type: code, code } }));
  },
});

/** An engine that never answers; `opened` once it has been asked to. */
function silentEngine(): { engine: AgentEngine; opened: Promise<void> } {
  const engine = oddEngine('silent');
  const { promise: opened, resolve } = deferred<void>();
  const open: AgentEngine['open'] = (options) => {
    resolve();
    return engine.open(options);
  };
  return { engine: { ...engine, open }, opened };
}

async function expectNothingLeft(): Promise<void> {
  expect(await rig.running()).toEqual([]);
  expect(rig.grants.size).toBe(0);
  expect(existsSync(join(rig.dataDir, 'operator', 'test'))).toBe(false);
}

describe('a test turn', { timeout: 60_000 }, () => {
  it('tells version, tokens and first words of the real engine, and leaves nothing', async () => {
    const usage = { input: 90, cachedInput: 0, output: 10, reasoning: 0 };
    const provider = await answering([{ ...say('ready'), usage }]);
    const outcome = await test(rig.operatorOf(quickEngine), { sealedSecrets: 'key-1' });
    expect(outcome).toMatchObject({
      text: 'ready',
      failure: null,
      version: expect.stringMatching(/\d+\.\d+/) as string,
      tokens: { input: 90, output: 10, total: 100 },
    });
    expect(outcome.startMs).not.toBeNull();
    expect(provider.requests[0]?.userTexts.at(-1)).toContain('ready');
    await expectNothingLeft();
  });

  it('is a typed failure where the provider refuses', async () => {
    await answering([refusing(401, 'invalid_api_key')]);
    const outcome = await test(rig.operatorOf(quickEngine));
    expect(outcome).toMatchObject({ failure: { kind: 'auth_failed' }, text: '' });
    expect(outcome.version).not.toBeNull();
    await expectNothingLeft();
  });

  it('ends where it would use more tokens than it may', async () => {
    const usage = { input: 5_000, cachedInput: 0, output: 10, reasoning: 0 };
    await answering([{ ...say('ready'), usage }]);
    const outcome = await test(rig.operatorOf(quickEngine), { maxTokens: 1_000 });
    expect(outcome).toMatchObject({ failure: { kind: 'too_many_tokens' } });
    await expectNothingLeft();
  });

  it.each<[string, AgentEngine | null, string, RegExp]>([
    ['no engine of that name is there', null, 'engine_missing', /no agent engine codex/],
    ['its program is missing', oddEngine('missing'), 'not_started', /./],
    [
      'its program ends at once',
      oddEngine('exits'),
      'not_started',
      /; its last output: cannot open the configuration$/,
    ],
  ])('says why it did not start when %s', async (_what, engine, kind, message) => {
    const { failure, version } = await test(rig.operatorOf(engine));
    expect(failure).toEqual({ kind, message: expect.stringMatching(message) as string });
    expect(version).toBeNull();
    await expectNothingLeft();
  });

  it('ends when its time is over, and only one goes on at a time', async () => {
    const { engine, opened } = silentEngine();
    const operator = rig.operatorOf(engine);
    const first = test(operator, { timeoutMs: 1_000 });
    expect(operator.wantsLease()).toBe(true);
    expect(await test(operator)).toMatchObject({ failure: { kind: 'busy' } });
    await opened;
    await rig.clock.advance(1_001);
    expect(await first).toMatchObject({ failure: { kind: 'timed_out' } });
    expect(operator.wantsLease()).toBe(false);
    await expectNothingLeft();
  });

  it('ends with the runner', async () => {
    const { engine, opened } = silentEngine();
    const operator = rig.operatorOf(engine);
    const going = test(operator);
    await opened;
    await operator.stop();
    expect(await going).toMatchObject({ failure: { kind: 'timed_out' } });
    await expectNothingLeft();
  });
});
