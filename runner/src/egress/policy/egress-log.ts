import { cutText } from '@switchyard/shared/text/cut-text';
import type { RefusalReason } from './egress-policy.ts';

/** Targets that are logged separately; further ones are counted in `others`. */
const MAX_ENTRIES = 100;

/** Requests to one host and port since the grant began. */
export type EgressEntry = {
  host: string;
  port: number;
  /** Why they were refused; null: allowed. */
  reason: RefusalReason | null;
  requests: number;
  sentBytes: number;
  receivedBytes: number;
  /** Names of secrets that these requests carried; absent: none. */
  secrets?: readonly string[];
};

export type EgressReport = { entries: EgressEntry[]; others: number };

/** All network requests of an attempt, aggregated by target and verdict. */
export class EgressLog {
  readonly #entries = new Map<string, EgressEntry>();
  #others = 0;
  #bytes = 0;

  /** Bytes in both directions of all targets. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a request; the bytes of an allowed one are added to the returned entry. */
  note(
    host: string,
    port: number,
    reason: RefusalReason | null,
    secrets: readonly string[] = [],
  ): EgressEntry {
    const shown = cutText(host, 253).replaceAll(/[^\x21-\x7e]/g, '?');
    const key = `${reason ?? 'allowed'} ${shown} ${port} ${secrets.join()}`;
    const fresh = {
      host: shown,
      port,
      reason,
      requests: 0,
      sentBytes: 0,
      receivedBytes: 0,
      ...(secrets.length === 0 ? {} : { secrets }),
    };
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = fresh;
      // Uses of secrets are always logged separately: the policy limits their number.
      if (this.#entries.size < MAX_ENTRIES || secrets.length > 0) this.#entries.set(key, entry);
      else this.#others += 1;
    }
    entry.requests += 1;
    return entry;
  }

  count(entry: EgressEntry, direction: 'sentBytes' | 'receivedBytes', bytes: number): void {
    entry[direction] += bytes;
    this.#bytes += bytes;
  }

  report(): EgressReport {
    return {
      entries: [...this.#entries.values()].map((entry) => ({ ...entry })),
      others: this.#others,
    };
  }
}
