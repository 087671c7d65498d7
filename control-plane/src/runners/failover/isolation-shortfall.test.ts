import { describe, expect, it } from 'vitest';
import { isolationShortfall } from './isolation-shortfall.ts';

const docker = {
  isolation: 'docker' as const,
  isolation_levels: {
    default: 'container' as const,
    runtimes: { runc: 'container' as const, runsc: 'kernel' as const },
  },
};
const process = { isolation: 'process' as const, isolation_levels: null };

describe('what a runner lacks of the isolation that is asked for', () => {
  it('is nothing where it is as strong, with the runtime that is asked for', () => {
    expect(isolationShortfall(docker, { isolation: 'container' })).toBeNull();
    expect(isolationShortfall(docker, { isolation: 'kernel', runtime: 'runsc' })).toBeNull();
    expect(isolationShortfall(process, { isolation: 'process' })).toBeNull();
  });

  it('is named', () => {
    expect(isolationShortfall(docker, { isolation: 'kernel' })).toContain('"kernel"');
    const kata = { isolation: 'process' as const, runtime: 'kata' };
    expect(isolationShortfall(docker, kata)).toContain('runtime kata');
    expect(isolationShortfall(process, { isolation: 'container' })).toContain('"container"');
    const open = {
      ...docker,
      isolation_levels: { default: 'open_container', runtimes: {} },
    } as const;
    expect(isolationShortfall(open, { isolation: 'container' })).toContain('"container"');
  });

  it('is left to a runner of containers that does not tell its levels', () => {
    const silent = { isolation: 'docker' as const, isolation_levels: null };
    expect(isolationShortfall(silent, { isolation: 'kernel' })).toBeNull();
  });
});
