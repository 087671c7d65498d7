import { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import {
  type EvidenceDraft,
  evidenceDraft,
  MAX_GLOBS,
  refusedEvidence,
  withEvidence,
} from './evidence-draft.ts';

const CHECK = { name: 'lint', command: 'npm run lint' };
const ROUTE: RepoRoute = { prefix: 'SY-', url: 'file:///a.git', checks: [CHECK] };
const FULL: RepoRoute = {
  ...ROUTE,
  scope: ['src/**', 'a b.md'],
  artifacts: 'out',
  evidence: 'full',
};

function refused(details: { path: string; message: string }[]): ApiError {
  const body = { error: 'no', code: 'bad_request' as const, reason: 'invalid_input', details };
  return new ApiError(400, 'no', { body: body as never });
}

/** What the contract says of a draft, as the service says it. */
function refusedBy(draft: Partial<EvidenceDraft>) {
  const sent = { ...evidenceDraft(ROUTE), ...draft };
  const issues = RepoRoute.safeParse(withEvidence(ROUTE, sent)).error?.issues ?? [];
  const details = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  return refusedEvidence(refused(details), sent);
}

describe('the form of evidence', () => {
  it.each([ROUTE, FULL])('gives back what nobody changed', (route) =>
    expect(withEvidence(route, evidenceDraft(route))).toEqual(route),
  );

  it('takes one glob a line, whatever stands around it', () => {
    const draft = { ...evidenceDraft(ROUTE), scope: '\n  src/**\r\n\ndocs/*.md  \n' };
    expect(withEvidence(ROUTE, draft)).toEqual({ ...ROUTE, scope: ['src/**', 'docs/*.md'] });
  });

  it('takes out what was emptied, and nothing else', () =>
    expect(withEvidence(FULL, { scope: ' \n', artifacts: ' ', evidence: 'brief' })).toEqual(ROUTE));

  it('says beside each field what the service says of it', () => {
    const { fields, rest } = refusedBy({ scope: 'src/**\n\n/etc/**', artifacts: '../out' });
    expect(fields).toEqual({
      scope: '/etc/**: must be a glob below the repository, such as src/**',
      artifacts: expect.stringContaining('must be a path below the repository'),
    });
    expect(rest).toBeNull();
  });

  it('says how many globs there may be', () => {
    expect(refusedBy({ scope: 'a\n'.repeat(MAX_GLOBS) }).fields).toEqual({});
    expect(refusedBy({ scope: 'a\n'.repeat(MAX_GLOBS + 1) }).fields).toEqual({
      scope: 'No more than 100 globs.',
    });
  });

  it('leaves the rest to the form', () => {
    const error = refused([{ path: 'url', message: 'no such repository' }]);
    expect(refusedEvidence(error, evidenceDraft(ROUTE))).toEqual({ fields: {}, rest: error });
  });
});
