import type { EngineCapabilities } from '@switchyard/shared/engine/runner-engine';
import { describe, expect, it } from 'vitest';
import { listEngines } from './decide.ts';

const CAN: EngineCapabilities = {
  wireApis: ['messages'],
  steering: 'queued',
  resume: true,
  questions: false,
  reasoningEffort: true,
  operator: false,
  experimental: true,
};
type Configured = Parameters<typeof listEngines>[0]['configured'][number];
const configured: Configured = {
  name: 'alpha',
  isDefault: true,
  models: ['m1'],
  wireApis: ['responses'],
};
const runner = (runnerId: string, engines: string[], capabilities = CAN) => ({
  runnerId,
  name: `the ${runnerId}`,
  connected: true,
  engines: engines.map((name) => ({ name, version: '1.2', capabilities })),
});

describe('the list of engines', () => {
  it('has what is configured first, then what runners have', () => {
    const runners = [
      runner('run_a', ['gamma', 'beta']),
      { ...runner('run_b', ['beta']), connected: false },
    ];
    const found = listEngines({ configured: [configured], runners });
    expect(found.map(({ name }) => name)).toEqual(['alpha', 'beta', 'gamma']);
    expect(found[1]).toMatchObject({
      configured: false,
      isDefault: false,
      experimental: true,
      models: [],
      advice: null,
      capabilities: CAN,
      runners: [
        { runnerId: 'run_a', name: 'the run_a', version: '1.2', connected: true },
        { runnerId: 'run_b', connected: false },
      ],
    });
    expect(found[1]?.abilities).toContainEqual({
      name: 'steering',
      supported: false,
      text: 'A message to the agent waits for the next turn.',
    });
  });

  it('has what a runner may fetch only where the settings choose it, and says so', () => {
    const awaited = ['alpha', 'beta'].map((name) => ({
      name,
      version: '1.2',
      capabilities: CAN,
      state: 'fetchable' as const,
    }));
    const runners = [{ ...runner('run_a', []), engines: awaited }];
    const found = listEngines({ configured: [configured], runners });
    expect(found.map(({ name }) => name)).toEqual(['alpha']);
    expect(found[0]?.runners).toMatchObject([{ runnerId: 'run_a', state: 'fetchable' }]);
    expect(found[0]?.advice).not.toMatch(/install/);
    const failed = awaited.map((one) => ({
      ...one,
      state: 'failed' as const,
      problem: 'no network',
    }));
    const after = listEngines({
      configured: [configured],
      runners: [{ ...runner('run_a', []), engines: failed }],
    });
    expect(after[0]?.advice).toMatch(
      /the run_a could not fetch the agent engine alpha: no network/,
    );
  });

  it('says what to do where no connected runner has one', () => {
    const advice = (runners: Parameters<typeof listEngines>[0]['runners']) =>
      listEngines({ configured: [configured], runners })[0]?.advice;
    expect(advice([])).toMatch(/Start a runner/);
    expect(
      advice([runner('run_a', ['beta']), { ...runner('run_b', ['alpha']), connected: false }]),
    ).toMatch(/--engine alpha.*engine install alpha/);
  });

  it('says so where the provider is configured for a format that the engine does not speak', () => {
    const runners = [runner('run_a', ['alpha'])];
    const [alpha] = listEngines({ configured: [configured], runners });
    expect(alpha?.advice).toMatch(
      /speaks OpenAI Responses, but the engine asks in Anthropic Messages/,
    );
    const fits: Configured = { ...configured, wireApis: ['messages'] };
    expect(listEngines({ configured: [fits], runners })[0]?.advice).toBeNull();
  });
});
