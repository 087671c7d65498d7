import { describe, expect, it } from 'vitest';
import { defaultSlots, parseLabels, parseSlots, takeJoinFromEnvironment } from './run-options.ts';

const GIB = 1024 ** 3;

describe('slots', () => {
  it.each([
    [{ memoryBytes: 2 * GIB, cpuCount: 1 }, 1],
    [{ memoryBytes: 8 * GIB, cpuCount: 4 }, 1],
    [{ memoryBytes: 16 * GIB, cpuCount: 8 }, 3],
    [{ memoryBytes: 64 * GIB, cpuCount: 8 }, 3],
    [{ memoryBytes: 16 * GIB, cpuCount: 64 }, 3],
    [{ memoryBytes: 4_000 * GIB, cpuCount: 512 }, 64],
  ])('for %j are %i', (host, slots) => expect(defaultSlots(host)).toBe(slots));

  it('are refused when they make no sense', () => {
    expect(parseSlots('3')).toBe(3);
    for (const text of ['0', '-1', '1.5', 'many', '65', '']) {
      expect(() => parseSlots(text)).toThrow('whole number');
    }
  });
});

describe('labels', () => {
  it('are trimmed and named once', () => {
    expect(parseLabels(' gpu, linux ,,gpu')).toEqual(['gpu', 'linux']);
  });

  it('have limits', () => {
    expect(() => parseLabels('x'.repeat(129))).toThrow('at most');
  });
});

describe('joining by environment', () => {
  it('takes token and address, and leaves neither behind', () => {
    const env: NodeJS.ProcessEnv = {
      SWITCHYARD_JOIN_TOKEN: 't',
      SWITCHYARD_CONTROL_PLANE: 'http://h',
      PATH: '/bin',
    };
    expect(takeJoinFromEnvironment(env)).toEqual({ url: 'http://h', token: 't' });
    expect(env).toEqual({ PATH: '/bin' });
  });

  it('knows which process started it, so that it sees at once when that is gone', () => {
    const env = {
      SWITCHYARD_JOIN_TOKEN: 't',
      SWITCHYARD_CONTROL_PLANE: 'http://h',
      SWITCHYARD_CONTROL_PLANE_PID: '77',
      SWITCHYARD_CONTROL_PLANE_COMMAND: 'start',
    };
    const parent = { parentPid: 77, parentCommand: 'start' };
    expect(takeJoinFromEnvironment(env)).toEqual({ url: 'http://h', token: 't', ...parent });
    expect(env).toEqual({});
  });

  it('needs both', () => {
    expect(takeJoinFromEnvironment({ SWITCHYARD_JOIN_TOKEN: 't' })).toBeNull();
  });
});
