import { LibsqlError } from '@libsql/client/web';

type Answered = {
  type: string;
  error?: { message: string; code?: string };
  response?: { result?: { rows: unknown[]; affected_row_count: number } };
};

/** The result of a request's single statement. Throws LibsqlError when the server refuses. */
export function pipelineResult(status: number, text: string) {
  if (status !== 200) {
    const cause = Object.assign(new Error(`HTTP ${status}`), { status });
    throw new LibsqlError(`HTTP ${status}`, 'SERVER_ERROR', undefined, undefined, cause);
  }
  const [first] = (JSON.parse(text) as { results: Answered[] }).results;
  if (first?.type === 'ok') return first.response?.result;
  throw new LibsqlError(first?.error?.message ?? 'no result', first?.error?.code ?? 'UNKNOWN');
}
