import { expect, it } from 'vitest';
import { filesOfSuite } from './files-of-suite.ts';
import { SUITES } from './suites.ts';

it('hold every test file of the checkout, each once', () => {
  const held = SUITES.flatMap(filesOfSuite);
  const all = filesOfSuite({ include: ['**/*.test.{ts,tsx}'] });
  expect(held.toSorted()).toEqual(all.toSorted());
});

it('name walks for the gate that are theirs', () => {
  for (const suite of SUITES) {
    const files = filesOfSuite(suite);
    const walks = suite.gate === 'all' ? files : suite.gate;
    expect(files, suite.name).toEqual(expect.arrayContaining([...walks]));
  }
});

it('have a place of their own each among those that run at once', () => {
  expect(new Set(SUITES.map(({ place }) => place)).size).toBe(SUITES.length);
});
