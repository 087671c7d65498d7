import type { SetupStep, SetupStepName } from '@switchyard/shared/api/admin/setup';
import { describe, expect, it } from 'vitest';
import { createTestPorts } from '../../../../../test/support/test-ports.ts';
import { createCheckDueSteps } from './check-due-steps.ts';

const SECOND_MS = 1_000;
const READS_IN_AN_HOUR = 360;

function bench() {
  const ports = createTestPorts();
  const looks: SetupStepName[] = [];
  const deps: Parameters<typeof createCheckDueSteps>[0] = {
    clock: ports.clock,
    service: { role: 'active' },
    background: { run: (_name, task) => void task() },
  };
  const look = createCheckDueSteps(deps, async (step) => void looks.push(step));
  const step = (name: SetupStepName, state: SetupStep['state'], summary: string): SetupStep => ({
    step: name,
    state,
    summary,
    done: state === 'done',
    isMain: true,
    warnings: [],
  });
  return {
    looks,
    read: (name: SetupStepName, state: SetupStep['state'], summary = 'words') =>
      look([step(name, state, summary)], new Set()),
    readUnlooked: (name: SetupStepName) =>
      look([step(name, 'done', 'set')], new Set<SetupStepName>([name])),
    pass: (ms: number) => ports.clock.advance(ms),
  };
}

describe('checks that reading the setup begins', () => {
  it('become rare where they fail for long, however often it is read', () => {
    const { looks, read, pass } = bench();
    for (let count = 0; count < READS_IN_AN_HOUR; count += 1) {
      // Words with a time or a number in them are no news.
      read('runner', 'failed', `no answer within ${count} s`);
      pass(10 * SECOND_MS);
    }
    expect(looks.length).toBeGreaterThan(5);
    expect(looks.length).toBeLessThan(15);
  });

  it('ask a stranger again that refused once, and rarely', () => {
    const { looks, read, pass } = bench();
    read('provider', 'waiting');
    pass(10 * SECOND_MS);
    for (let count = 0; count < READS_IN_AN_HOUR; count += 1) {
      read('provider', 'failed', 'no credit left');
      pass(10 * SECOND_MS);
    }
    expect(looks.length).toBeGreaterThan(2);
    expect(looks.length).toBeLessThan(8);
  });

  it('begin at once when something was set anew', () => {
    const { looks, read } = bench();
    read('provider', 'waiting');
    read('provider', 'waiting');
    expect(looks).toHaveLength(1);
    read('provider', 'failed');
    read('provider', 'waiting');
    expect(looks).toHaveLength(2);
    read('provider', 'done');
    read('provider', 'waiting');
    expect(looks).toHaveLength(3);
  });

  it('look once at what counts as done from before, and at nothing that was looked at', () => {
    const { looks, read, readUnlooked } = bench();
    read('code_host', 'done');
    expect(looks).toEqual([]);
    readUnlooked('code_host');
    readUnlooked('code_host');
    expect(looks).toEqual(['code_host']);
  });
});
