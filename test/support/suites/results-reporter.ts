import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { type FileResult, RESULTS_VARIABLE, type TestResults } from './test-results.ts';

type PartLines = Pick<TestResults, 'missing' | 'notices'>;
type Failure = { message?: string; VITEST_TEST_PATH?: string };

/** Writes what became of each file, for the program that started the run. */
export default class ResultsReporter implements Reporter {
  #vitest: Vitest | undefined;
  readonly #partLines: (suites: readonly string[]) => PartLines;

  /** @param partLines says of the suites that run which parts of the machine they lack */
  constructor(partLines: (suites: readonly string[]) => PartLines) {
    this.#partLines = partLines;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const path = process.env[RESULTS_VARIABLE];
    if (path === undefined || this.#vitest === undefined) return;
    const { projects, config } = this.#vitest;
    const results: TestResults = {
      files: modules.map(resultOf),
      strayErrors: unhandledErrors.map((error) => {
        const { message = '', VITEST_TEST_PATH: file } = error as Failure;
        return {
          file: file === undefined ? null : relative(config.root, file),
          error: firstLine(message),
        };
      }),
      ...this.#partLines(projects.map(({ name }) => name)),
    };
    writeFileSync(path, JSON.stringify(results));
  }
}

function resultOf(module: TestModule): FileResult {
  const result: FileResult = {
    file: module.relativeModuleId,
    suite: module.project.name,
    passed: 0,
    failed: 0,
    skipped: [],
    firstError: null,
  };
  const fail = (errors: readonly Failure[]) => {
    result.failed += 1;
    result.firstError ??= firstLine(errors[0]?.message ?? '');
  };
  if (module.errors().length > 0) fail(module.errors());
  for (const suite of module.children.allSuites()) {
    if (suite.errors().length > 0) fail(suite.errors());
  }
  for (const test of module.children.allTests()) {
    const { state, errors } = test.result();
    if (state === 'passed') result.passed += 1;
    else if (state === 'failed') fail(errors);
    else result.skipped.push(test.fullName);
  }
  return result;
}

function firstLine(message: string): string {
  const [line = ''] = message.trim().split('\n');
  return line === '' ? 'no reason given' : line;
}
