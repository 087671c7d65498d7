import { sha256Hex } from '../../../sha256-hex.ts';

/** An entry as it is sealed: every column, the details as the text that is stored. */
export type SealableEntry = {
  entry: number;
  at_ms: number;
  actor: string;
  source: string;
  operation: string;
  path: string;
  subject: string | null;
  request_id: string | null;
  details: string;
};

/** What stands before the first entry. */
export const CHAIN_START = '0'.repeat(64);

/** The seal of an entry: SHA-256 over the hash before it and all of its columns, hex. */
export function entryHash(previousHash: string, row: SealableEntry): Promise<string> {
  const columns = [
    row.entry,
    row.at_ms,
    row.actor,
    row.source,
    row.operation,
    row.path,
    row.subject,
    row.request_id,
    row.details,
  ];
  return sha256Hex(`${previousHash}\n${JSON.stringify(columns)}`);
}
