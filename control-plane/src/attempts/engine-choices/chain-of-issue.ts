import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { EngineChoice } from '../../config/provider/engine-choice.ts';
import { routeForIssue } from '../../config/repositories/route-for-issue.ts';
import type { Database } from '../../db/database.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { issueKey } from '../upstreams/provider-upstream.ts';
import { engineChain } from './engine-chain.ts';
import { automationsOfIssues } from './queries.ts';

/**
 * The engine choices for an issue, in the order in which they are tried; null when a person chose
 * an engine that is no longer configured.
 */
export async function chainOfIssue(
  db: Database,
  issue: IssueRow,
  config: EffectiveConfig,
): Promise<EngineChoice[] | null> {
  const automations = asksForAutomations(config) ? await automationsOfIssues(db) : null;
  const automation = automations?.get(issueKey(issue.tracker, issue.id)) ?? null;
  const repository = routeForIssue(issue, config.repos)?.url ?? null;
  return engineChain({ ...issue, repository, automation }, config);
}

/** Whether any rule depends on the automation that created an issue. */
export function asksForAutomations({ engine }: Pick<EffectiveConfig, 'engine'>): boolean {
  return engine.rules.some(({ automations }) => automations !== undefined);
}
