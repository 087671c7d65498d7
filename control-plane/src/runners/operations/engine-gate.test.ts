import { beforeEach, describe, expect, it } from 'vitest';
import { EngineGate } from './engine-gate.ts';

const MINUTE_MS = 60_000;
let gate: EngineGate;
beforeEach(() => {
  gate = new EngineGate();
});
const tooMany = expect.objectContaining({ status: 503 }) as Error;

describe('questions to engines', () => {
  it('are few at a time for one runner, and few in all', () => {
    const leave = Array.from({ length: 4 }, () => gate.enter('models', 'run_1', 0));
    expect(() => gate.enter('models', 'run_1', 0)).toThrow(tooMany);
    leave.forEach((end) => end());
    for (let runner = 0; runner < 8; runner += 1) {
      for (let open = 0; open < 4; open += 1) gate.enter('models', `run_${runner}`, 0);
    }
    expect(() => gate.enter('models', 'run_0', 0)).toThrow(tooMany);
  });

  it('start few engines, until these have ended', () => {
    for (let runner = 0; runner < 8; runner += 1) gate.enter('models', `run_${runner}`, 0)();
    expect(() => gate.enter('models', 'run_8', MINUTE_MS)).toThrow(tooMany);
    gate.enter('models', 'run_7', MINUTE_MS)();
    gate.enter('models', 'run_8', 5 * MINUTE_MS + 1)();
  });

  it('never stand in the way of a change', () => {
    for (let open = 0; open < 4; open += 1) gate.enter('models', 'run_1', 0);
    expect(gate.enter('account.logout', 'run_1', 0)).not.toThrow();
  });
});
