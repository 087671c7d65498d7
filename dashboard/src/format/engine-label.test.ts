import { describe, expect, it } from 'vitest';
import { engineLabel } from './engine-label.ts';

describe('the engine of an attempt in words', () => {
  it.each([
    ['alpha', null, null, 'alpha'],
    ['alpha', 'alpha_cli/0.166.0 (Debian 12.0.0; x86_64)', null, 'alpha 0.166.0'],
    ['beta', '1.18.34', 'team', 'beta 1.18.34, account team'],
    ['beta', 'nightly', null, 'beta nightly'],
  ])('%s, %s, %s', (engine, engineVersion, account, words) => {
    expect(engineLabel({ engine, engineVersion, account })).toBe(words);
  });

  it('says whose work a trial is', () => {
    const worked = {
      engine: 'alpha',
      engineVersion: '1.0',
      account: null,
      model: 'scripted-trial',
    };
    expect(engineLabel(worked)).toBe('alpha 1.0, scripted trial');
  });
});
