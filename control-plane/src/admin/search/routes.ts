import { z } from '@hono/zod-openapi';
import { SearchAnswer } from '@switchyard/shared/api/admin/search';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { clientAddress } from '../../http/caller/client-address.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { createConcurrencyLimit } from '../../http/limits/create-concurrency-limit.ts';
import { searchEverything } from './search-everything.ts';

const QUERY_MAX_CHARS = 200;
/**
 * Limits of searches, which keep this process busy: how many run at once, and how many run or wait,
 * in total and for each client.
 */
const SEARCHES_AT_ONCE = 1;
const SEARCHES_MAX = 16;
const SEARCHES_PER_CLIENT = 8;
const RETRY_AFTER_S = '2';

const SearchQuery = z.object({
  q: z.string().trim().min(1).max(QUERY_MAX_CHARS).describe('Words; all of them have to occur.'),
  limit: z.coerce.number().int().min(1).max(100).default(40).describe('Results to answer.'),
});
/** Route of the search over everything stored. */
export function searchRoutes(
  deps: Pick<Deps, 'db' | 'service'>,
  { trustedHops = 0 }: { trustedHops?: number },
) {
  const inTurn = searchTurns(deps);
  return [
    endpoint({
      at: 'GET /api/v1/search',
      operationId: 'search',
      summary: 'Words in issues, pull requests, labels, settings, secret names and recent logs',
      query: SearchQuery,
      answer: json(200, 'What was found, nearest first', SearchAnswer),
      refusals: { 503: 'Too many searches wait; `Retry-After` says when to come back' },
      handler: async ({ c, query: { q: query, limit } }) => {
        const { signal } = c.req.raw;
        const isWanted = () => !signal.aborted;
        const client = clientAddress(c, trustedHops);
        return inTurn(client, () => searchEverything(deps, { query, limit, isWanted }));
      },
    }),
  ] as const;
}

type SearchTurns = <T>(client: string, work: () => Promise<T>) => Promise<T>;

/**
 * A remote database runs searches concurrently, and on a Worker a request must not wait for
 * another.
 */
function searchTurns({ db }: Pick<Deps, 'db'>): SearchTurns {
  if (db.blocks !== true) return (_client, work) => work();
  const inTurn = createConcurrencyLimit(SEARCHES_AT_ONCE);
  const clients: string[] = [];
  return async (client, work) => {
    const own = clients.filter((one) => one === client).length;
    if (clients.length >= SEARCHES_MAX || own >= SEARCHES_PER_CLIENT) throw tooManySearches();
    clients.push(client);
    try {
      return await inTurn(work);
    } finally {
      clients.splice(clients.indexOf(client), 1);
    }
  };
}

function tooManySearches(): AppError {
  return new AppError('unavailable', 'too many searches wait already; try again soon', {
    reason: 'too_many_searches',
    headers: { 'Retry-After': RETRY_AFTER_S },
  });
}
