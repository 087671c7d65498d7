import { equalInConstantTime } from './equal-in-constant-time.ts';

/** Who a token belongs to. */
export type Principal = {
  /** Becomes the audit actor. */
  name: string;
  scope: 'read' | 'operate' | 'admin';
  /** Of a token that can be revoked. */
  tokenId?: string;
  /** Somebody at this machine; means nothing to a request from elsewhere. */
  local?: true;
};

/** What `authorize` asks about tokens. */
export interface TokenVerifier {
  /** Null for a token that nobody was given. Takes the same time for any wrong one. */
  verify(token: string): Promise<Principal | null>;
  /**
   * What stands for a principal's token now, for comparing; null once it may not come in any more.
   */
  credentialOf(principal: Principal): Promise<string | null>;
  /** Whether remote reads need a token too. */
  readsNeedToken(): boolean;
  /** Whether any token could permit a remote mutation. */
  writesPossible(): boolean;
}

const MAX_TOKEN_CHARACTERS = 4_096;

/** The tokens that the environment names: `SERVICE_WRITE_TOKEN` and `SERVICE_READ_TOKEN`. */
export function environmentTokens(given: {
  writeToken: string | undefined;
  readToken: string | undefined;
}): TokenVerifier {
  const known = [
    { token: given.writeToken, principal: { name: 'write-token', scope: 'admin' as const } },
    { token: given.readToken, principal: { name: 'read-token', scope: 'read' as const } },
  ].flatMap(({ token, principal }) =>
    token === undefined || token === '' ? [] : [{ token, principal }],
  );
  const has = (scope: Principal['scope']) => known.some((entry) => entry.principal.scope === scope);
  return {
    async verify(token) {
      if (token.length > MAX_TOKEN_CHARACTERS) return null;
      let found: Principal | null = null;
      for (const entry of known) {
        const isEqual = await equalInConstantTime(token, entry.token);
        if (isEqual && found === null) found = entry.principal;
      }
      return found;
    },
    credentialOf({ name, tokenId }) {
      const entry = known.find(({ principal }) => principal.name === name);
      return Promise.resolve(tokenId === undefined ? (entry?.token ?? null) : null);
    },
    readsNeedToken: () => has('read'),
    writesPossible: () => has('admin'),
  };
}
