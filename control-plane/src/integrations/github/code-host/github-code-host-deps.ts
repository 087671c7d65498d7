import type { Database } from '../../../db/database.ts';
import type { Clock, Ids, Logger } from '../../../ports/ports.ts';
import type { CurrentGitHub } from '../api/github-connections.ts';

export const GITHUB_CODE_HOST = 'github';

export type GitHubCodeHostDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  github: CurrentGitHub;
};
