import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { EngineChoice } from '../../config/provider/engine-choice.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';

/** A decision of dispatch: which runner works on which issue, with which engine. */
export type Offer = {
  issue: IssueRow;
  /** An attempt that waits for its next runner; null starts a new attempt. */
  waiting: AttemptRow | null;
  runnerId: string;
  /** The chosen engine, model and account from the issue's chain. */
  choice: EngineChoice;
  /** Paused upstreams that this attempt tests as their canary. */
  canaryOf: readonly string[];
  route: RepoRoute;
  config: EffectiveConfig;
};
