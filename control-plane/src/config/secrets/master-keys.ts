import type { WebCryptoKey } from '../../web-crypto-key.ts';

/** A key that secrets are encrypted under. The bytes themselves are not kept. */
export type MasterKey = {
  /** Says which key it is and nothing about it; stands beside each secret. */
  id: string;
  key: WebCryptoKey;
};

/** The master keys of this service. Where they come from is the platform's matter. */
export interface MasterKeys {
  /** The one that new values are encrypted under; another instance may have made it. */
  current(): Promise<MasterKey>;
  /** Also an older one that is still accepted; null for a key that is not here. */
  find(id: string): Promise<MasterKey | null>;
  /**
   * Makes a new key, which becomes the current one; the others are accepted as before. Null where
   * keys are given from outside and so can only be changed there.
   */
  renew: (() => Promise<void>) | null;
}
