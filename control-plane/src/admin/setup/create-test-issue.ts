import type { CreateTestIssue } from '@switchyard/shared/api/admin/setup';
import type { Caller } from '../../http/caller/caller.ts';
import { routeForIssue } from '../../config/repositories/route-for-issue.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { issueByIdentifier } from '../../issues/queries.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { createLocalIssue } from '../../integrations/local/tracker/create-local-issue.ts';
import type { LocalTrackerSettings } from '../../integrations/local/tracker/local-tracker-deps.ts';
import { rememberTestIssue } from './setup-facts.ts';

export type TestIssueDeps = Pick<Deps, 'db' | 'clock' | 'ids' | 'config' | 'wake'> & {
  settings: LocalTrackerSettings;
};

const TITLE = 'Try the whole way: a line in the README';
const DESCRIPTION = `This issue shows that everything works together.

Add the line "Checked by Switchyard." to the end of README.md; create the file if there is none.`;

/**
 * Creates an issue in the built-in tracker that goes all the way to a pull request, and records it
 * for the wizard. Throws a 422 when no repository route would match it.
 */
export async function createTestIssue(
  deps: TestIssueDeps,
  input: CreateTestIssue & { caller: Caller },
): Promise<IssueRow> {
  const { repos } = await deps.config.load();
  const prefix = `${deps.settings.prefix()}-`;
  // If routes match by label only, the issue gets the first of these labels.
  const byPrefix = routeForIssue({ identifier: `${prefix}1`, labels: [] }, repos) !== null;
  const label = repos.find((route) => route.label !== undefined)?.label;
  if (!byPrefix && label === undefined) {
    throw new AppError(
      'unprocessable',
      `no repository route takes issues that begin with ${prefix}`,
      {
        reason: 'no_route',
      },
    );
  }
  const issue = await createLocalIssue(deps, input.caller, {
    title: input.title ?? TITLE,
    description: input.description ?? DESCRIPTION,
    labels: byPrefix || label === undefined ? [] : [label],
  });
  await deps.db.batch([rememberTestIssue(deps.db, deps.clock.nowMs(), issue.identifier)]);
  deps.wake();
  const row = await issueByIdentifier(deps.db, issue.identifier);
  if (row === null) throw new Error(`${issue.identifier} is gone`);
  return row;
}
