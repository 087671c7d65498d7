import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { requiresAllParts } from '../system-part.ts';

type Tally = { passed: number; failed: number; skipped: string[] };

/**
 * Ends a run with `N passed, N failed` on a line of its own. Fails a run that executed no test,
 * and one that left something out although SWITCHYARD_REQUIRE_ALL=1 is set.
 */
export default class TallyReporter implements Reporter {
  #vitest: Vitest | undefined;
  readonly #missingParts: readonly string[];
  readonly #notices: readonly string[];

  /**
   * @param missingParts lines that say which projects were left out and why
   * @param notices lines about data that makes a test stricter and is not at hand; never a failure
   */
  constructor(missingParts: readonly string[] = [], notices: readonly string[] = []) {
    this.#missingParts = missingParts;
    this.#notices = notices;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tally = count(modules);
    tally.failed += unhandledErrors.length;
    if (tally.passed + tally.failed === 0) this.#fail('no test was executed');
    for (const line of [...this.#missingParts, ...this.#notices]) this.#print(line);
    if (requiresAllParts() && this.#missingParts.length + tally.skipped.length > 0) {
      for (const name of tally.skipped) this.#print(`skipped: ${name}`);
      tally.failed += this.#missingParts.length + tally.skipped.length;
      this.#fail('SWITCHYARD_REQUIRE_ALL=1: nothing may be missing or skipped');
    }
    if (tally.failed > 0) process.exitCode = 1;
    const skipped =
      tally.skipped.length > 0 && !requiresAllParts() ? `, ${tally.skipped.length} skipped` : '';
    this.#print(`${tally.passed} passed, ${tally.failed} failed${skipped}`);
  }

  #fail(why: string): void {
    this.#print(why);
    process.exitCode = 1;
  }

  #print(line: string): void {
    this.#vitest?.logger.log(line);
  }
}

/** A file that could not be loaded holds no tests to count: it counts as one failure itself. */
function count(modules: readonly TestModule[]): Tally {
  const tally: Tally = { passed: 0, failed: 0, skipped: [] };
  for (const module of modules) {
    if (module.errors().length > 0) tally.failed += 1;
    for (const suite of module.children.allSuites()) {
      if (suite.errors().length > 0) tally.failed += 1;
    }
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') tally.passed += 1;
      else if (state === 'failed') tally.failed += 1;
      else tally.skipped.push(`${module.relativeModuleId} > ${test.fullName}`);
    }
  }
  return tally;
}
