import { equalInConstantTime } from './equal-in-constant-time.ts';

/** What somebody at this machine shows beside a loopback connection. */
export interface LocalAccess {
  /** Whether the connection alone is not enough. */
  needsSecret(): boolean;
  /** Whether a bearer token is the local secret. */
  verify(token: string): Promise<boolean>;
  /** The local secret itself; null while there is none. */
  secret(): Promise<string | null>;
}

/** Begins every local secret, so that other tokens need not be compared with it. */
export const LOCAL_SECRET_PREFIX = 'swl_';
const MAX_SECRET_CHARACTERS = 200;

/** @param readSecret the local secret as it is now; null while there is none. */
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
