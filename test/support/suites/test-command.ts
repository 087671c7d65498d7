import { join } from 'node:path';
import { parseCLI } from 'vitest/node';
import { EXIT } from '../../../control-plane/cli/client/exit.ts';
import { requiresAllParts } from '../system-part.ts';
import { tallyLine } from './judge-run.ts';
import { RunInterruptedError, runTests } from './run-tests.ts';

// `npm test`: the gate, or what the arguments choose out of everything.
const USAGE = `What every change must pass, or one part of all tests.

  npm test                       the gate: unit tests, contracts, the simulator, and one walk
                                 through each real part; what the machine lacks is named
  npm test -- PATH ...           files and folders out of all tests
  npm test -- --project SUITE    one suite; npm run test:all -- --help lists them
  npm test -- -t WORDS           tests with these words in their names

Every option of \`vitest run\` may stand there too. All tests, suite by suite: npm run test:all

In the gate a file that fails is run once more, alone. What then passes is named "unsteady" and counts
as passed; more than three such files fail the run. The last line is "N passed, N failed".`;

const root = join(import.meta.dirname, '../../..');
const args = process.argv.slice(2);

/** Whether the arguments name files, suites or tests; an unknown option is vitest's to refuse. */
function choosesTests(): boolean {
  const { filter, options } = parseCLI(['vitest', 'run', ...args], { allowUnknownOptions: true });
  return (
    filter.length > 0 || options.project !== undefined || options.testNamePattern !== undefined
  );
}

if (args.includes('--help') || args.includes('-h')) {
  console.log(USAGE);
} else {
  try {
    const isGate = !choosesTests();
    const verdict = await runTests({
      root,
      args,
      isGate,
      repeats: isGate,
      requiresAll: requiresAllParts(),
    });
    for (const line of verdict.lines) console.log(line);
    console.log(tallyLine(verdict));
    process.exitCode = verdict.ok ? 0 : 1;
  } catch (error) {
    if (!(error instanceof RunInterruptedError)) throw error;
    process.exitCode = EXIT.interrupted;
  }
}
