import { expect, it } from 'vitest';
import { kindsThat } from './kind-rules.ts';

it('counts only work and plans as tries, and only tests of merges as no run of an agent', () => {
  expect(kindsThat('isTry')).toEqual(['work', 'plan']);
  expect(kindsThat('hasAgent')).toEqual(['work', 'plan', 'review']);
  expect(kindsThat('readsOnly')).toEqual(['plan', 'review']);
});
