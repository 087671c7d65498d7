import { and, desc, eq, isNull } from 'drizzle-orm';
import { mayHaveIssue } from '@switchyard/shared/protocol/runner-labels';
import { OF_ONE_RUNNER } from '@switchyard/shared/reasons/needs-person';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { engineNeeded, namesForWork } from '../available-engines/engines-of.ts';
import type { Ending } from '../../attempts/decide.ts';
import { isolationShortfall } from './isolation-shortfall.ts';

/**
 * Whether another connected runner can run an issue that this runner could not start because of a
 * fault of its own. A runner that failed in this way since a person's last retry does not count.
 */
export async function mayRunElsewhere(
  { db }: Pick<Deps, 'db'>,
  given: { attempt: AttemptRow; issue: IssueRow; ending: Ending; config: EffectiveConfig },
): Promise<boolean> {
  const { attempt, issue, ending, config } = given;
  if (ending.code === null || !OF_ONE_RUNNER.has(ending.code)) return false;
  const [known, earlier] = await Promise.all([
    db
      .select()
      .from(runners)
      .where(
        and(
          isNull(runners.revoked_at_ms),
          eq(runners.connected, true),
          eq(runners.draining, false),
        ),
      ),
    db
      .select({ runnerId: attempts.runner_id, code: attempts.reason_code })
      .from(attempts)
      .where(and(eq(attempts.tracker, attempt.tracker), eq(attempts.issue_id, attempt.issue_id)))
      .orderBy(desc(attempts.number))
      .limit(issue.run_count),
  ]);
  const failed = earlier.filter(({ code }) => code !== null && OF_ONE_RUNNER.has(code));
  const unfit = new Set([attempt.runner_id, ...failed.map(({ runnerId }) => runnerId)]);
  return known.some(
    (runner) =>
      !unfit.has(runner.runner_id) &&
      mayHaveIssue(runner.labels, issue.labels) &&
      isolationShortfall(runner, config.engine.sandbox) === null &&
      namesForWork(runner).engines.includes(engineNeeded(attempt.engine, attempt.model)),
  );
}
