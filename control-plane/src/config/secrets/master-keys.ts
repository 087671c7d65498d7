import type { WebCryptoKey } from '../../web-crypto-key.ts';

/** A key that encrypts secrets, without its raw bytes. */
export type MasterKey = {
  /** Identifies the key without revealing anything about it; stored with each secret. */
  id: string;
  key: WebCryptoKey;
};

/** The master keys of this service; the platform provides them. */
export interface MasterKeys {
  /** The key that encrypts new values; another instance may have created it. */
  current(): Promise<MasterKey>;
  /** A key by id, also an older accepted one; null when this service does not have it. */
  find(id: string): Promise<MasterKey | null>;
  /**
   * Creates a new current key and keeps the others accepted. Null where the keys come from outside
   * and can only be changed there.
   */
  renew: (() => Promise<void>) | null;
}
