import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer, api, until } from '../../api/api.ts';

const PAGE = 100;

function auditPage(offset: number, signal: AbortSignal) {
  const query = { limit: String(PAGE), offset: String(offset) };
  return answer(api.audit.$get({ query }, until(signal)));
}
export type AuditEntry = Awaited<ReturnType<typeof auditPage>>['entries'][number];

export const auditQuery = infiniteQueryOptions({
  queryKey: ['audit'],
  initialPageParam: 0,
  queryFn: ({ signal, pageParam }) => auditPage(pageParam, signal),
  getNextPageParam: (page, pages) => {
    const shown = pages.reduce((sum, each) => sum + each.entries.length, 0);
    return shown < page.total && page.entries.length > 0 ? shown : null;
  },
});

/** Reads the whole record and compares it with its seals. */
export async function verifyAudit() {
  const page = await answer(api.audit.$get({ query: { limit: '1', verify: 'true' } }));
  if (page.verification === undefined) throw new Error('The service did not verify the chain.');
  return page.verification;
}
