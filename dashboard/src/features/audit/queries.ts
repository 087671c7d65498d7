import { answer, api, type until } from '../../api/api.ts';
import { offsetQuery } from '../../api/read-query.ts';

const PAGE = '100';

function auditPage(offset: string, end: ReturnType<typeof until>) {
  return answer(api.audit.$get({ query: { limit: PAGE, offset } }, end));
}
export type AuditEntry = Awaited<ReturnType<typeof auditPage>>['entries'][number];

export const auditQuery = offsetQuery(['audit'], auditPage, (page) => page.entries);

/** Verifies the complete audit log against its seals. */
export async function verifyAudit() {
  const page = await answer(api.audit.$get({ query: { limit: '1', verify: 'true' } }));
  if (page.verification === undefined) throw new Error('The service did not verify the chain.');
  return page.verification;
}
