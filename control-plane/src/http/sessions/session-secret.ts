import type { Caller } from '../caller/caller.ts';

/** The key that signs session cookies; every instance of the service has the same. */
export interface SessionSecret {
  /** Null while there is none that can be read. */
  read(): Promise<string | null>;
  /** Makes one where `read` finds none; instances that do so at once end up with the same. */
  ensure(): Promise<string>;
  /** Puts a new one in its place, which ends every session. */
  rotate(caller: Caller): Promise<void>;
}
