import { sha256Hex } from '../../../sha256-hex.ts';

/** The columns of an entry that its seal covers; the details as the stored text. */
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

/** The hash that stands for the entry before the first one. */
export const CHAIN_START = '0'.repeat(64);

/** The seal of an entry: SHA-256 over the previous hash and all of its columns, hex. */
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
