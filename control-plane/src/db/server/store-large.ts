import type { ServerAddress } from './create-server-fetch.ts';
import type { BoundStatement, KnownOutcome, WriteBatch } from './group-writer.ts';
import { isBytes, pipelineRequest } from './pipeline-request.ts';
import { pipelineResult } from './pipeline-result.ts';

/** Size from which a value is sent separately. */
const LARGE_BYTES = 65_536;

type Asks = (request: Request) => Promise<Response>;

/**
 * The only statement of a group, if it has one large value of bytes; null otherwise. The client
 * library would create several larger strings of such a value.
 */
export function onlyLarge(group: readonly WriteBatch[]): BoundStatement | null {
  const [batch] = group;
  const [statement] = batch ?? [];
  if (group.length !== 1 || batch?.length !== 1 || statement === undefined) return null;
  const bytes = statement.args.filter(isBytes);
  return bytes.length === 1 && (bytes[0]?.byteLength ?? 0) >= LARGE_BYTES ? statement : null;
}

/** Stores the large value. Throws LibsqlError when the server refuses. */
export async function storeLarge(
  address: ServerAddress,
  asks: Asks,
  statement: BoundStatement,
): Promise<KnownOutcome> {
  const { request, free } = pipelineRequest(address, statement);
  try {
    const answer = await asks(request);
    const result = pipelineResult(answer.status, await answer.text());
    const rowsAffected = result?.affected_row_count ?? 0;
    return { results: [{ columns: [], rows: [], rowsAffected }] };
  } finally {
    free();
  }
}
