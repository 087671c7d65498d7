import { defineConfig } from 'vitest/config';
import { parseCLI } from 'vitest/node';
import LongFirstSequencer from './test/support/house/long-first-sequencer.ts';
import ResultsReporter from './test/support/suites/results-reporter.ts';
import { type Suite, SUITES } from './test/support/suites/suites.ts';
import { GATE_VARIABLE } from './test/support/suites/test-results.ts';
import { findTestParts, missingPartLines } from './test/support/suites/test-parts.ts';

const isGate = process.env[GATE_VARIABLE] === '1';
const { filter: filters } = parseCLI(['vitest', ...process.argv.slice(2)], {
  allowUnknownOptions: true,
});
const parts = await findTestParts();

/** A suite as a project: the gate takes its walks only, and without its part of the machine none. */
function projectOf(suite: Suite) {
  const lacks = parts.some(({ name, part }) => name === suite.needs && !part.available);
  const chosen = isGate && suite.gate !== 'all' ? suite.gate : suite.include;
  return {
    test: {
      name: suite.name,
      include: lacks ? [] : [...chosen],
      exclude: ['**/node_modules/**', '**/dist/**', ...(suite.exclude ?? [])],
      testTimeout: suite.testTimeoutMs,
      hookTimeout: suite.hookTimeoutMs ?? 60_000,
      isolate: suite.isolate ?? true,
    },
  };
}

export default defineConfig({
  test: {
    reporters: [
      'default',
      new ResultsReporter((suites) => missingPartLines(parts, suites, { isGate, filters })),
    ],
    globalSetup: ['test/support/house/build-programs.ts'],
    // The default of one second is short for a loaded machine.
    expect: { poll: { timeout: 25_000 } },
    teardownTimeout: 10_000,
    // Two cores are the smallest machine this is tested on; more workers than that thrash there.
    maxWorkers: '100%',
    sequence: { sequencer: LongFirstSequencer },
    projects: SUITES.map(projectOf),
  },
});
