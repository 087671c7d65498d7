import type { CheckOutcome, CheckSpec } from '@switchyard/shared/checks/check-spec';
import { isFailing } from '@switchyard/shared/checks/is-failing';
import { cutText } from '@switchyard/shared/text/cut-text';

/** The last run of a declared check. */
export type CheckStanding = {
  name: string;
  state: 'running' | CheckOutcome;
  /** Lease under which the check ran. */
  epoch: number;
  commit_sha: string;
  run: number;
};

const MAX_NAMES_CHARS = 500;

/**
 * Names of the declared checks that failed under a lease or on a commit, in the order in which they
 * are declared. A check of which no run came to an end has not failed.
 */
export function failedChecks(
  declared: readonly Pick<CheckSpec, 'name'>[],
  rows: readonly CheckStanding[],
  of: { epoch: number; commitSha: string | null },
): string[] {
  const failed = new Set(
    rows
      .filter((row) => row.epoch === of.epoch || row.commit_sha === of.commitSha)
      .filter(hasFailed)
      .map(({ name }) => name),
  );
  return declared.map(({ name }) => name).filter((name) => failed.has(name));
}

/** A check runs again only after it failed, so an unfinished later run means failure. */
function hasFailed({ state, run }: CheckStanding): boolean {
  return isFailing(state) || (state !== 'passed' && run > 1);
}

/** Explains to people why work whose checks failed is not delivered. */
export function checksFailedMessage(names: readonly string[]): string {
  const listed = cutText(names.join(', '), MAX_NAMES_CHARS, '…');
  return `not delivered: ${names.length === 1 ? 'a check' : `${names.length} checks`} failed: ${listed}`;
}
