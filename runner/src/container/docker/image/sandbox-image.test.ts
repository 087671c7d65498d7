import { describe, expect, it } from 'vitest';
import { hostEngineVersion } from '../../../engine/codex/binary.ts';
import { defaultSandboxImage, engineVersionOf } from './sandbox-image.ts';

describe('the engine of the sandbox image', () => {
  it('is the one that plain processes run', () => {
    expect(engineVersionOf(defaultSandboxImage)).toBe(hostEngineVersion());
  });

  it('is not known of an image that somebody else made', () => {
    expect(engineVersionOf('team/agents:1')).toBeNull();
  });
});
