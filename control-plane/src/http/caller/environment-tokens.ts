import { equalInConstantTime } from './equal-in-constant-time.ts';

/**
 * An authenticated caller: the holder of a token, a person whom the identity proxy signed in, or a
 * person at this machine.
 */
export type Principal = {
  /** The actor in the audit log. */
  name: string;
  scope: 'read' | 'operate' | 'admin';
  /** Id of a token that can be revoked. */
  tokenId?: string;
  /** The caller is on this machine; ignored for requests from elsewhere. */
  local?: true;
};

/** Verifies tokens for `authorize`. */
export interface TokenVerifier {
  /** The token's principal; null for an unknown token. Takes the same time for any wrong one. */
  verify(token: string): Promise<Principal | null>;
  /** A principal's present credential, to compare; null once its token is no longer valid. */
  credentialOf(principal: Principal): Promise<string | null>;
  /** Whether remote reads require a token too. */
  readsNeedToken(): boolean;
  /** Whether any token could permit a remote mutation. */
  writesPossible(): boolean;
}

const MAX_TOKEN_CHARACTERS = 4_096;

/** Verifies the tokens from the environment: `SERVICE_WRITE_TOKEN` and `SERVICE_READ_TOKEN`. */
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
