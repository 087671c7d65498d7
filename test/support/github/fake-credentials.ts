import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { FakeUser } from './fake-state.ts';

export type FakeGrant = {
  user: FakeUser;
  /** `owner/name` in lower case; null: every repository. */
  repository: string | null;
  permissions: Record<string, string>;
};

const ALL = new Proxy<Record<string, string>>({}, { get: () => 'write' });

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
  /** How long an installation token lives. */
  tokenTtlMs = 3_600_000;
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
      return { user: this.tokenUser, repository: null, permissions: ALL };
    }
    const grant = this.#grants.get(token);
    return grant === undefined || grant.endsAtMs <= Date.now() ? null : grant;
  }

  mint(repository: string, permissions: Record<string, string>) {
    const token = `ghs_${randomBytes(18).toString('hex')}`;
    const endsAtMs = Date.now() + this.tokenTtlMs;
    this.minted.push(token);
    this.#grants.set(token, { user: this.bot, repository, permissions, endsAtMs });
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
      });
      return (payload.exp ?? 0) - (payload.iat ?? 0) <= 600;
    } catch {
      return false;
    }
  }
}
