import { describe, expect, it } from 'vitest';
import { changesBetween, isOverlaid, leavesOf, valueAt } from './value-at.ts';

describe('values of a configuration', () => {
  it('are found by their path', () => {
    expect(valueAt({ agent: { budget: { minutes: 3 } } }, 'agent.budget.minutes')).toBe(3);
    expect(valueAt({ agent: 1 }, 'agent.budget')).toBeUndefined();
  });

  it('are overlaid in any spelling, nested or dotted', () => {
    const overlay = { 'agent.max_turns': 4, engine: { model: 'm' }, repos: [] };
    expect(isOverlaid(overlay, 'agent.maxTurns')).toBe(true);
    expect(isOverlaid(overlay, 'engine.model')).toBe(true);
    expect(isOverlaid(overlay, 'repos')).toBe(true);
    expect(isOverlaid(overlay, 'engine.name')).toBe(false);
    expect(isOverlaid({}, 'engine.name')).toBe(false);
  });

  it('tell what is new, other and gone', () => {
    const before = { agent: { maxTurns: 4 }, repos: [1] };
    const after = { agent: { maxTurns: 5 }, 'engine.model': 'm' };
    expect(changesBetween(before, after)).toEqual([
      { path: 'agent.maxTurns', before: 4, after: 5 },
      { path: 'repos', before: [1], after: undefined },
      { path: 'engine.model', before: undefined, after: 'm' },
    ]);
    expect(changesBetween({}, {})).toEqual([]);
  });

  it('keep empty objects', () => {
    expect([...leavesOf({ prices: {} })]).toEqual([['prices', {}]]);
  });
});
