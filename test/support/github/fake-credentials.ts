import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { FakeUser } from './fake-state.ts';

/** A classic token may all that its person may; the others have permissions one by one. */
export type FakeTokenKind = 'classic' | 'fine-grained' | 'installation';
export type FakePermissions = Readonly<Record<string, 'read' | 'write'>>;

export type FakeGrant = {
  kind: FakeTokenKind;
  user: FakeUser;
  /** `owner/name` in lower case; null: every repository. */
  repositories: ReadonlySet<string> | null;
  permissions: FakePermissions;
};

/** What GitHub never gives a fine-grained token, however much it is wanted. */
const NOT_FOR_FINE_GRAINED = ['checks'];
const INSTALLED: FakePermissions = {
  metadata: 'read',
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'read',
  statuses: 'read',
  actions: 'read',
  organization_projects: 'write',
};

/** Tokens and the one App of a fake GitHub. */
export class FakeCredentials {
  readonly appId = '4711';
  readonly installationId = 99;
  readonly token = `ghp_${randomBytes(18).toString('hex')}`;
  readonly tokenUser: FakeUser = { login: 'switchyard-machine', id: 2, type: 'User' };
  readonly bot: FakeUser = { login: 'switchyard-app[bot]', id: 3, type: 'Bot' };
  /** As GitHub gives it out: PKCS#1. */
  readonly privateKey: string;
  /** Every installation token ever made. */
  readonly minted: string[] = [];
  /** What the App was installed with: more cannot be asked for. */
  installed: FakePermissions = INSTALLED;
  /** How long an installation token lives. */
  tokenTtlMs = 3_600_000;
  nowMs: () => number = () => Date.now();
  readonly #publicKey: string;
  readonly #grants = new Map<string, FakeGrant & { endsAtMs: number }>();

  constructor() {
    const pair = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    this.privateKey = pair.privateKey;
    this.#publicKey = pair.publicKey;
  }

  /** What a token may do; null for one that is unknown or over. */
  grantOf(token: string): FakeGrant | null {
    if (token === this.token) {
      return { kind: 'classic', user: this.tokenUser, repositories: null, permissions: {} };
    }
    const grant = this.#grants.get(token);
    return grant === undefined || grant.endsAtMs <= this.nowMs() ? null : grant;
  }

  /** A token of the same person for single repositories, with no more than these permissions. */
  fineGrained(repositories: readonly string[], permissions: FakePermissions): string {
    const odd = NOT_FOR_FINE_GRAINED.find((name) => name in permissions);
    if (odd !== undefined) throw new Error(`GitHub gives no fine-grained token ${odd}`);
    const token = `github_pat_${randomBytes(18).toString('hex')}`;
    this.#grants.set(token, {
      kind: 'fine-grained',
      user: this.tokenUser,
      endsAtMs: Number.POSITIVE_INFINITY,
      repositories: new Set(repositories.map((name) => name.toLowerCase())),
      permissions: { metadata: 'read', ...permissions },
    });
    return token;
  }

  /** Null: the installation was not granted as much. */
  mint(repository: string, asked: FakePermissions | undefined) {
    const permissions = asked ?? this.installed;
    const isTooMuch = Object.entries(permissions).some(
      ([name, level]) => !allows(this.installed, name, level),
    );
    if (isTooMuch) return null;
    const token = `ghs_${randomBytes(18).toString('hex')}`;
    const endsAtMs = this.nowMs() + this.tokenTtlMs;
    this.minted.push(token);
    this.#grants.set(token, {
      kind: 'installation',
      user: this.bot,
      endsAtMs,
      repositories: new Set([repository]),
      permissions: { metadata: 'read', ...permissions },
    });
    return { token, expires_at: new Date(endsAtMs).toISOString(), permissions };
  }

  /** Whether the header carries a JWT of the App as GitHub wants it. */
  async isApp(authorization: string | undefined): Promise<boolean> {
    const jwt = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
    try {
      const { payload } = await jwtVerify(jwt, createPublicKey(this.#publicKey), {
        algorithms: ['RS256'],
        issuer: this.appId,
        clockTolerance: 5,
        currentDate: new Date(this.nowMs()),
      });
      return (payload.exp ?? 0) - (payload.iat ?? 0) <= 600;
    } catch {
      return false;
    }
  }
}

/** Who may write may read. */
export function allows(have: FakePermissions, name: string, level: string): boolean {
  return have[name] === 'write' || have[name] === level;
}
