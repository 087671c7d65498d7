import { describe, expect, it } from 'vitest';
import { blockerCircles } from './blocker-circles.ts';

/** `A: B C` means that B and C block A. */
function circles(...lines: string[]): Record<string, string> {
  const issues = lines.map((line) => {
    const [key = '', names = ''] = line.split(':');
    return { key, identifier: key, blockers: names.split(' ').filter((name) => name !== '') };
  });
  return Object.fromEntries(blockerCircles(issues));
}

describe('blockerCircles', () => {
  it('finds none where everything can begin one day', () => {
    expect(circles()).toEqual({});
    expect(circles('A: B C', 'B: D', 'C: D', 'D:', 'E: X')).toEqual({});
  });

  it('finds an issue that blocks itself, and the way round longer ones from each issue on it', () => {
    expect(circles('A: A')).toEqual({ A: 'A → A' });
    expect(circles('A: B', 'B: A')).toEqual({ A: 'A → B → A', B: 'B → A → B' });
    expect(circles('A: B', 'B: C', 'C: A')).toEqual({
      A: 'A → B → C → A',
      B: 'B → C → A → B',
      C: 'C → A → B → C',
    });
  });

  it('names the shortest way, and nothing of who only waits for one on it', () => {
    expect(circles('A: B X', 'B: A C', 'C: A', 'X:', 'Y: A')).toEqual({
      A: 'A → B → A',
      B: 'B → A → B',
      C: 'C → A → B → C',
    });
  });

  it('shortens the words of a very long way', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `I${at}: I${(at + 1) % 40}`);
    expect(circles(...lines)['I0']).toMatch(/^I0 → I1 → .* → … → I0$/);
    expect(circles(...lines)['I0']?.split(' → ').length).toBeLessThan(14);
  });

  it('ends soon where thousands block each other', () => {
    const names = Array.from({ length: 3_000 }, (_, at) => `I${at}`);
    const lines = names.map((name, at) => {
      const others = Array.from({ length: 100 }, (_none, far) => names[(at + far + 1) % 3_000]);
      return `${name}: ${others.join(' ')}`;
    });
    const found = circles(...lines);
    expect(Object.keys(found)).toHaveLength(3_000);
    expect(found['I0']).toMatch(/^I0 → .* → I0$/);
  });
});
