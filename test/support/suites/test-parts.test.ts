import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOfSuite, ROOT } from './files-of-suite.ts';
import { SUITES } from './suites.ts';
import { findTestParts, LOOKING_TESTS, missingPartLines } from './test-parts.ts';

const names = SUITES.map(({ name }) => name);
const found = await findTestParts();
/** As on a machine that has nothing. */
const parts = found.map((one) => ({
  ...one,
  isNotice: false,
  part: { available: false as const, reason: 'none' },
}));
const missingFor = (...filters: string[]) =>
  missingPartLines(parts, names, { isGate: false, filters }).missing.map((line) =>
    line.replace(' tests skipped: none', ''),
  );

describe('the parts that a run lacks', () => {
  it('are those that its files need', () => {
    expect(missingFor('runner/src/egress/attach-secrets.test.ts')).toEqual([]);
    expect(missingFor('test/contracts/metrics.test.ts')).toEqual(['promtool']);
    expect(missingFor('./test/redteam/redteam.test.ts')).toEqual(['docker', 'browser']);
    expect(missingFor(join(ROOT, 'test/workerd'))).toEqual(['sqld']);
    expect(missingFor('test/e2e/linear.test.ts:3')).toEqual(['Linear schema']);
    expect(missingFor('nothing/like/this')).toEqual([]);
  });

  it('are all of them without a choice, fewer in the gate and in one suite', () => {
    expect(missingFor()).toEqual(parts.map(({ name }) => name));
    const gate = missingPartLines(parts, names, { isGate: true, filters: [] }).missing;
    expect(gate.join()).not.toMatch(/compose|engine/);
    expect(gate).toHaveLength(parts.length - 3);
    const unit = missingPartLines(parts, ['simulation'], { isGate: false, filters: [] });
    expect(unit.missing).toEqual([]);
  });

  it('are told of every test that looks for one', () => {
    const listed: readonly string[] = Object.values(LOOKING_TESTS).flat();
    const looking = SUITES.flatMap(filesOfSuite).filter((file) =>
      /\b((sqld|promtool|shellcheck|compose)Part|chromiumPart\(\)|enginePartOf)\b/.test(
        readFileSync(join(ROOT, file), 'utf8').replaceAll(/^import .*$/gm, ''),
      ),
    );
    const own = 'test/support/suites/test-parts.test.ts';
    expect(listed).toEqual(expect.arrayContaining(looking.filter((file) => file !== own)));
    for (const file of listed) expect(filesOfSuite({ include: [file] }), file).toEqual([file]);
  });
});
