import { SignJWT } from 'jose';
import { z } from 'zod';
import { secretValue, type ResolveSecret } from '../../../config/resolve-secret.ts';
import type { Clock } from '../../../ports/ports.ts';
import { appKey } from './app-key.ts';
import type { Authorize, GitHubClient } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import type { GitHubSettings } from './github-settings.ts';
import { repositoryPath, type RepositoryName } from './repository-name.ts';

/** GitHub accepts at most ten minutes; the margin covers differing clocks. */
const JWT_TTL_S = 540;
const CLOCK_SKEW_S = 60;
/** A token that expires sooner is not issued, because git may need it for a while. */
const REFRESH_BEFORE_MS = 10 * 60_000;
const MAX_TOKENS = 500;

const API = {
  contents: 'read',
  pull_requests: 'write',
  issues: 'write',
  checks: 'read',
  statuses: 'read',
  actions: 'read',
} as const;
const PERMISSIONS = {
  /** The only permission of a runner's token. */
  git: { contents: 'write' },
  api: API,
  /** Requested only if a project holds the states of issues. */
  projects: { ...API, organization_projects: 'write' },
} as const;
export type Purpose = keyof typeof PERMISSIONS;

export type AccessToken = { token: string; expiresAtMs: number | null };

const Installation = z.object({
  id: z.int(),
  permissions: z.record(z.string(), z.string()).optional(),
});
type Installation = z.infer<typeof Installation>;
const InstallationToken = z.object({ token: z.string().min(1), expires_at: z.iso.datetime() });
const App = z.object({ slug: z.string() });
const User = z.object({ login: z.string() });

type AccessDeps = { clock: Clock; resolveSecret: ResolveSecret };

/**
 * Tokens for one GitHub: the configured one, or an App's tokens, one for each repository and
 * purpose.
 */
export class GitHubAccess {
  readonly #deps: AccessDeps;
  readonly #settings: GitHubSettings;
  readonly #client: GitHubClient;
  readonly #tokens = new Map<string, AccessToken & { expiresAtMs: number }>();
  #login: string | null = null;

  constructor(deps: AccessDeps, settings: GitHubSettings, client: GitHubClient) {
    this.#deps = deps;
    this.#settings = settings;
    this.#client = client;
  }

  /** For `GitHubClient`: authorizes requests about a repository. */
  authorize(repository: RepositoryName, purpose: Purpose = 'api'): Authorize {
    return async (refused = false) => {
      if (refused) this.#forget(repository);
      return `Bearer ${(await this.token(repository, purpose)).token}`;
    };
  }

  /** For `GitHubClient`: authorizes requests about the App itself. */
  authorizeApp(): Authorize {
    return () => this.#appAuthorization();
  }

  /** Drops what GitHub no longer accepts: revoked tokens, or an App that was reinstalled. */
  #forget(repository: RepositoryName): void {
    const purposes = ['api', 'git', 'projects'] as const;
    for (const purpose of purposes) this.#tokens.delete(keyOf(repository, purpose));
  }

  /** A token for a repository; an App's token is valid for at least ten minutes. */
  async token(repository: RepositoryName, purpose: Purpose): Promise<AccessToken> {
    if (this.#settings.app === undefined) {
      return { token: await this.#configuredToken(), expiresAtMs: null };
    }
    const key = keyOf(repository, purpose);
    const known = this.#tokens.get(key);
    const nowMs = this.#deps.clock.nowMs();
    if (known !== undefined && known.expiresAtMs - REFRESH_BEFORE_MS > nowMs) return known;
    const made = await this.#installationToken(repository, purpose);
    this.#tokens.delete(key);
    this.#tokens.set(key, made);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > MAX_TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
    return made;
  }

  /** The login under which GitHub shows this service's actions. */
  async ownLogin(): Promise<string> {
    this.#login ??= await this.#askLogin();
    return this.#login;
  }

  async #askLogin(): Promise<string> {
    if (this.#settings.app === undefined) {
      const auth = async () => `Bearer ${await this.#configuredToken()}`;
      return (await this.#client.json(User, auth, { path: '/user' })).login;
    }
    const { slug } = await this.#client.json(App, () => this.#appAuthorization(), { path: '/app' });
    return `${slug}[bot]`;
  }

  async #configuredToken(): Promise<string> {
    const token = await secretValue(this.#settings.token, this.#deps.resolveSecret);
    if (token === null) throw new GitHubError('auth', 'no token is set for GitHub');
    return token;
  }

  async #installationToken(repository: RepositoryName, purpose: Purpose) {
    const installation = await this.#installation(repository);
    const answer = await this.#client.json(InstallationToken, () => this.#appAuthorization(), {
      method: 'POST',
      path: `/app/installations/${installation.id}/access_tokens`,
      body: { repositories: [repository.name], permissions: granted(purpose, installation) },
    });
    return { token: answer.token, expiresAtMs: Date.parse(answer.expires_at) };
  }

  async #installation(repository: RepositoryName): Promise<Installation> {
    const configured = this.#settings.app?.installationId;
    const path =
      configured === undefined
        ? `${repositoryPath(repository)}/installation`
        : `/app/installations/${configured}`;
    return this.#client.json(Installation, () => this.#appAuthorization(), { path });
  }

  async #appAuthorization(): Promise<string> {
    const { app } = this.#settings;
    const pem = await secretValue(app?.privateKey, this.#deps.resolveSecret);
    if (app === undefined || pem === null) {
      throw new GitHubError('auth', 'no private key is set for the App');
    }
    const nowS = Math.floor(this.#deps.clock.nowMs() / 1_000);
    try {
      const jwt = await new SignJWT({})
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .setIssuer(app.id)
        .setIssuedAt(nowS - CLOCK_SKEW_S)
        .setExpirationTime(nowS + JWT_TTL_S)
        .sign(await appKey(pem));
      return `Bearer ${jwt}`;
    } catch {
      // The original error is not passed on, since it could contain parts of the key.
      throw new GitHubError('auth', "the App's private key is no RSA key in PEM");
    }
  }
}

/**
 * The wanted permissions that the App's installation has: GitHub issues no token when more are
 * requested. A missing one shows up where it is needed.
 */
function granted(purpose: Purpose, { permissions }: Installation): Record<string, string> {
  const wanted: Readonly<Record<string, string>> = PERMISSIONS[purpose];
  if (permissions === undefined) return wanted;
  const entries = Object.entries(wanted).flatMap(([name, level]) => {
    const has = permissions[name];
    if (has === undefined) return [];
    return [[name, has === 'read' ? 'read' : level] as const];
  });
  return Object.fromEntries(entries);
}

function keyOf({ owner, name }: RepositoryName, purpose: Purpose): string {
  return `${purpose}:${owner}/${name}`.toLowerCase();
}
