import type { FileResult, TestResults } from './test-results.ts';

/** A run with more files than this that fail among the others and pass alone fails. */
export const MAX_UNSTEADY_FILES = 3;

/** A file that failed among the others and passed alone. */
export type Unsteady = { file: string; firstError: string };

/** What a run came to after its second look. */
export type Verdict = {
  ok: boolean;
  passed: number;
  failed: number;
  skipped: number;
  unsteady: Unsteady[];
  /** What to print above the tally. */
  lines: string[];
};

/** The files of a run that get a second look, each alone when the others have ended. */
export function filesToRepeat({ files, strayErrors }: TestResults): FileResult[] {
  const astray = new Set(strayErrors.map(({ file }) => file));
  return files.filter(({ failed, file }) => failed > 0 || astray.has(file));
}

/**
 * Joins a run with its second look. What then passed counts as passed and is named. A run fails that
 * has too many such files, that executed nothing, or that left something out although all is required.
 * @param second by file, what the second look saw; null where it ended without results
 */
export function judgeRun(
  first: TestResults,
  second: ReadonlyMap<string, TestResults | null>,
  { requiresAll }: { requiresAll: boolean },
): Verdict {
  const counts = { passed: 0, failed: 0 };
  const skipped: string[] = [];
  const unsteady: Unsteady[] = [];
  const lines: string[] = [];
  for (const once of first.files) {
    const again = second.get(once.file) ?? null;
    const result = again?.files.find(({ file }) => file === once.file) ?? once;
    const strays = again?.strayErrors ?? first.strayErrors.filter(({ file }) => file === once.file);
    counts.passed += result.passed;
    counts.failed += result.failed + strays.length;
    skipped.push(...result.skipped.map((name) => `${once.file} > ${name}`));
    const stray = first.strayErrors.find(({ file }) => file === once.file);
    const firstError = once.firstError ?? stray?.error ?? '';
    if (result.failed + strays.length > 0) lines.push(`failed: ${once.file}: ${firstError}`);
    else if (again !== null) unsteady.push({ file: once.file, firstError });
  }
  // What happened while no file of the run was at work cannot be looked at again.
  const atWork = new Set(first.files.map(({ file }) => file));
  for (const { file, error } of first.strayErrors) {
    if (file !== null && atWork.has(file)) continue;
    counts.failed += 1;
    lines.push(`outside every test: ${error}`);
  }
  const isEmpty = counts.passed + counts.failed === 0;
  if (isEmpty) lines.push('no test was executed');
  lines.push(...first.missing, ...first.notices);
  const leftOut = first.missing.length + skipped.length;
  if (requiresAll && leftOut > 0) {
    lines.push(...skipped.map((name) => `skipped: ${name}`));
    lines.push('SWITCHYARD_REQUIRE_ALL=1: nothing may be missing or skipped');
    counts.failed += leftOut;
  }
  lines.push(...unsteady.map(({ file, firstError }) => `unsteady: ${file}: ${firstError}`));
  if (unsteady.length > MAX_UNSTEADY_FILES) {
    lines.push(`a run with more than ${MAX_UNSTEADY_FILES} unsteady files fails`);
    counts.failed += 1;
  }
  return {
    ok: !isEmpty && counts.failed === 0,
    ...counts,
    skipped: requiresAll ? 0 : skipped.length,
    unsteady,
    lines,
  };
}

/** The last line of every run. */
export function tallyLine({ passed, failed, skipped }: Omit<Verdict, 'ok' | 'unsteady' | 'lines'>) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
