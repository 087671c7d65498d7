import { equalInConstantTime } from './equal-in-constant-time.ts';

/** How a caller on this machine proves itself, besides its loopback connection. */
export interface LocalAccess {
  /** Whether a loopback connection alone is not enough. */
  needsSecret(): boolean;
  /** Whether a bearer token is the local secret. */
  verify(token: string): Promise<boolean>;
  /** The local secret itself; null while there is none. */
  secret(): Promise<string | null>;
}

/** Prefix of every local secret, so that other tokens need not be compared with it. */
export const LOCAL_SECRET_PREFIX = 'swl_';
const MAX_SECRET_CHARACTERS = 200;

/**
 * Checks the local secret.
 * @param readSecret the present local secret; null while there is none.
 */
export function createLocalAccess(given: {
  readSecret: () => Promise<string | null>;
  needsSecret: () => boolean;
}): LocalAccess {
  return {
    needsSecret: given.needsSecret,
    secret: given.readSecret,
    async verify(token) {
      if (!token.startsWith(LOCAL_SECRET_PREFIX) || token.length > MAX_SECRET_CHARACTERS) {
        return false;
      }
      const secret = await given.readSecret();
      return secret !== null && equalInConstantTime(token, secret);
    },
  };
}
