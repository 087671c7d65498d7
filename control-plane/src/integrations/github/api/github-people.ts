import { z } from 'zod';
import type { Clock } from '../../../ports/ports.ts';
import type { GitHubAccess } from './github-access.ts';
import type { GitHubClient } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import { type Account, judgeBot, UNNAMED_BOT } from './judge-bot.ts';
import { type RepositoryName, repositoryPath } from './repository-name.ts';

/**
 * Associations whose comments may start work: strangers on a public repository must not. Source:
 * GitHub's REST API.
 */
const TRUSTED = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
const WRITES = new Set(['admin', 'maintain', 'write']);
const KEPT_MS = 600_000;
const MAX_KEPT = 1_000;

const Permission = z.object({ permission: z.string() });

/** The author of a comment or review, as GitHub describes them there. */
export type Speaker = Account & { association: string | undefined };

/**
 * Decides whose comments count in a repository. GitHub's information about a person is cached for
 * ten minutes.
 */
export class GitHubPeople {
  readonly #clock: Clock;
  readonly #client: GitHubClient;
  readonly #access: GitHubAccess;
  readonly #namedBots: readonly string[];
  readonly #known = new Map<string, { permission: Promise<string>; untilMs: number }>();

  constructor(
    clock: Clock,
    client: GitHubClient,
    access: GitHubAccess,
    namedBots: readonly string[],
  ) {
    this.#clock = clock;
    this.#client = client;
    this.#access = access;
    this.#namedBots = namedBots;
  }

  isNamedBot(account: Account): boolean {
    return judgeBot(account, this.#namedBots) === 'named';
  }

  /**
   * Why an author's comments do not count, for people; null when they do. A named bot's comments
   * count whatever its permissions. A member with private membership appears as a contributor or as
   * nobody, so the permission is requested.
   */
  async whyNot(
    repository: RepositoryName,
    { login, type, association }: Speaker,
  ): Promise<string | null> {
    const bot = judgeBot({ login, type }, this.#namedBots);
    if (bot !== 'person') return bot === 'named' ? null : UNNAMED_BOT;
    if (TRUSTED.has(association ?? '')) return null;
    const permission = await this.#permission(repository, login);
    return WRITES.has(permission) ? null : `may ${permission} here, and has to be able to write`;
  }

  async #permission(repository: RepositoryName, login: string): Promise<string> {
    const path = `${repositoryPath(repository)}/collaborators/${encodeURIComponent(login)}/permission`;
    const key = path.toLowerCase();
    const nowMs = this.#clock.nowMs();
    const known = this.#known.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.permission;
    const permission = this.#ask(repository, path);
    this.#known.delete(key);
    this.#known.set(key, { permission, untilMs: nowMs + KEPT_MS });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KEPT && oldest !== undefined) this.#known.delete(oldest);
    try {
      return await permission;
    } catch (error) {
      this.#known.delete(key);
      throw error;
    }
  }

  /** A bot, a former member, or a token without access counts as no permission. */
  async #ask(repository: RepositoryName, path: string): Promise<string> {
    try {
      const auth = this.#access.authorize(repository);
      return (await this.#client.json(Permission, auth, { path })).permission;
    } catch (error) {
      const isNo = error instanceof GitHubError && error.category === 'status';
      if (isNo && error.status !== null && error.status < 500) return 'none';
      throw error;
    }
  }
}
