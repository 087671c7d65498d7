/** What became of one test file in one run. */
export type FileResult = {
  /** From the root of the checkout. */
  file: string;
  suite: string;
  passed: number;
  /** A file that could not be loaded holds no tests to count: it counts as one failure itself. */
  failed: number;
  /** Full names of tests that left themselves out. */
  skipped: string[];
  /** The first line of the first error; null when all passed. */
  firstError: string | null;
};

/** What one run of vitest came to, as its reporter writes it for the program that started it. */
export type TestResults = {
  files: FileResult[];
  /** First lines of errors outside every test, each with the file during which it happened. */
  strayErrors: { file: string | null; error: string }[];
  /** One line for each part of the machine for want of which tests were left out. */
  missing: string[];
  /** One line for each set of data that would have made a test stricter. */
  notices: string[];
};

/** Set to 1 where only the gate's part of each suite is to run. */
export const GATE_VARIABLE = 'SWITCHYARD_GATE';
/** Names the file into which the reporter writes a run's results. */
export const RESULTS_VARIABLE = 'SWITCHYARD_TEST_RESULTS';
