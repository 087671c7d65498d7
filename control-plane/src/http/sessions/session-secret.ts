import type { Caller } from '../caller/caller.ts';

/** The key that signs session cookies; all instances of the service share it. */
export interface SessionSecret {
  /** The key; null while none is stored or readable. */
  read(): Promise<string | null>;
  /** Creates the key if `read` finds none; concurrent instances get the same one. */
  ensure(): Promise<string>;
  /** Replaces the key, which ends every session. */
  rotate(caller: Caller): Promise<void>;
}
