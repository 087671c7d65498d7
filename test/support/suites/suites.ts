/** A named part of the tests: a project of vitest, and a row of `npm run test:all`. */
export type Suite = {
  name: string;
  /** Globs of its files. */
  include: readonly string[];
  /** Globs of files that belong to other suites. */
  exclude?: readonly string[];
  /** What of it the gate (`npm test`) runs: all, or these files, each a walk through a real part. */
  gate: 'all' | readonly string[];
  /**
   * When its files begin where several suites run at once, lowest first. Suites with long files come
   * first: one of two minutes that began last would leave every other worker idle. Those that
   * share a Docker daemon stand apart.
   */
  place: number;
  testTimeoutMs: number;
  /** Default: one minute. */
  hookTimeoutMs?: number;
  /**
   * Files follow each other in one process, which loads each module once: where files leave nothing
   * behind in a module or in the process.
   */
  isolate?: false;
  /** The part of the machine without which none of it can run. */
  needs?: 'docker' | 'browser' | 'sqld' | 'hosts';
};

const MINUTE_MS = 60_000;

/** A test that needs Docker belongs to the suite of that name wherever it stands. */
const DOCKER_TESTS = '**/*.docker.test.ts';
/** A test beside its code that starts git, an agent engine or the product as processes. */
const PROCESS_TESTS = '**/*.process.test.ts';
/** The contract of engines, held by their real programs. */
const ENGINE_TESTS = ['test/contracts/engines/**/*.test.ts', 'test/contracts/engine-check.test.ts'];

/** Every suite, in the order in which `npm run test:all` runs them: the quick ones first. */
export const SUITES: readonly Suite[] = [
  {
    name: 'unit',
    include: [
      '{shared,control-plane,runner,dashboard}/src/**/*.test.{ts,tsx}',
      'control-plane/{cli,scripted-provider}/**/*.test.ts',
      'test/support/**/*.test.ts',
    ],
    exclude: [DOCKER_TESTS, PROCESS_TESTS],
    gate: 'all',
    place: 14,
    testTimeoutMs: 30_000,
    isolate: false,
  },
  {
    name: 'architecture',
    include: ['test/architecture.test.ts', 'test/architecture/**/*.test.ts'],
    gate: 'all',
    place: 13,
    testTimeoutMs: 2 * MINUTE_MS,
    isolate: false,
  },
  {
    name: 'contracts',
    include: ['test/contracts/**/*.test.ts'],
    exclude: ENGINE_TESTS,
    gate: 'all',
    place: 11,
    testTimeoutMs: MINUTE_MS,
    isolate: false,
  },
  {
    name: 'fuzz',
    include: ['test/fuzz/**/*.test.ts'],
    gate: 'all',
    place: 12,
    testTimeoutMs: 2 * MINUTE_MS,
  },
  {
    // The number of seeds is in the test: fewer in the gate.
    name: 'simulation',
    include: ['test/simulation/**/*.test.ts'],
    gate: 'all',
    place: 1,
    testTimeoutMs: 2 * MINUTE_MS,
  },
  {
    name: 'processes',
    include: ['{shared,control-plane,runner,test/support}/**/*.process.test.ts'],
    gate: [],
    place: 9,
    testTimeoutMs: 2 * MINUTE_MS,
  },
  { name: 'engines', include: ENGINE_TESTS, gate: [], place: 10, testTimeoutMs: MINUTE_MS },
  {
    name: 'e2e',
    include: ['test/e2e/**/*.test.ts'],
    gate: ['test/e2e/pull-request.test.ts'],
    place: 4,
    testTimeoutMs: 3 * MINUTE_MS,
  },
  {
    name: 'chaos',
    include: ['test/chaos/**/*.test.ts'],
    gate: ['test/chaos/chaos.test.ts'],
    place: 6,
    testTimeoutMs: 2 * MINUTE_MS,
  },
  {
    name: 'workerd',
    include: ['test/workerd/**/*.test.ts'],
    gate: ['test/workerd/edge-dev.test.ts'],
    place: 5,
    testTimeoutMs: 4 * MINUTE_MS,
    hookTimeoutMs: 4 * MINUTE_MS,
    needs: 'sqld',
  },
  {
    name: 'hosts',
    include: ['test/hosts/**/*.test.ts'],
    gate: 'all',
    place: 8,
    testTimeoutMs: 2 * MINUTE_MS,
    needs: 'hosts',
  },
  {
    name: 'docker',
    include: [DOCKER_TESTS, 'test/docker/**/*.test.ts'],
    gate: ['test/docker/journey.docker.test.ts'],
    place: 3,
    testTimeoutMs: 2 * MINUTE_MS,
    hookTimeoutMs: 3 * MINUTE_MS,
    needs: 'docker',
  },
  {
    name: 'redteam',
    include: ['test/redteam/**/*.test.ts'],
    gate: ['test/redteam/redteam.test.ts'],
    place: 7,
    testTimeoutMs: 4 * MINUTE_MS,
    hookTimeoutMs: 3 * MINUTE_MS,
    needs: 'docker',
  },
  {
    name: 'browser',
    include: ['test/browser/**/*.test.ts'],
    gate: [
      'test/browser/every-view.test.ts',
      'test/browser/setup-wizard.test.ts',
      'test/browser/sign-in-link.test.ts',
    ],
    place: 2,
    testTimeoutMs: 2 * MINUTE_MS,
    needs: 'browser',
  },
];
