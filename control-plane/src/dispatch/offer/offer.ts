import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { EngineChoice } from '../../config/provider/engine-choice.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';

/** What dispatch has decided: who works on which issue, and with what. */
export type Offer = {
  issue: IssueRow;
  /** An attempt that waits for a runner again; null starts a new one. */
  waiting: AttemptRow | null;
  runnerId: string;
  /** Engine, model and account of its chain that is in turn. */
  choice: EngineChoice;
  /** Paused upstreams that this attempt is to try out. */
  canaryOf: readonly string[];
  route: RepoRoute;
  config: EffectiveConfig;
};
