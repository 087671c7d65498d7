import { isFenced } from '../db/require-change.ts';
import type { PullRequestRow } from '../db/schema/pull-requests.ts';
import type { Deps } from '../deps.ts';
import { issueByIdentifier } from '../issues/queries.ts';
import { noteReason } from './note-reason.ts';

type NoteDeps = Pick<Deps, 'db' | 'clock' | 'events'>;

/** A pull request cannot be found where it is to be: said on its issue once; nothing else changes. */
export async function noteMissing(deps: NoteDeps, row: PullRequestRow): Promise<void> {
  const isSaid = (reason: string | null) => reason === reasonOf(row);
  await note(deps, row, reasonOf(row), (reason) => !isSaid(reason));
}

/** It is there: what was said is taken back. */
export async function notePresent(deps: NoteDeps, row: PullRequestRow): Promise<void> {
  const isSaid = (reason: string | null) => reason === reasonOf(row);
  await note(deps, row, `its pull request #${row.number} is there again`, isSaid);
}

async function note(
  deps: NoteDeps,
  row: PullRequestRow,
  reason: string,
  isWanted: (present: string | null) => boolean,
): Promise<void> {
  const issue = await issueByIdentifier(deps.db, row.issue_identifier);
  if (issue?.status !== 'completed' || !isWanted(issue.reason)) return;
  try {
    await noteReason(deps, issue, reason);
  } catch (error) {
    // The issue changed in between: the next look sees how.
    if (!isFenced(error)) throw error;
  }
  deps.events.notify(0);
}

function reasonOf({ number, code_host: host }: PullRequestRow): string {
  return `its pull request #${number} cannot be found on ${host}, neither open nor ended; it is looked for again. Retry the issue to do the work anew`;
}
