import { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import { type MergeDraft, mergeDraft, mergeText, refusedMerge, withMerge } from './merge-draft.ts';

const CHECK = { name: 'lint', command: 'npm run lint' };
const ROUTE: RepoRoute = { prefix: 'SY-', url: 'file:///a.git', checks: [CHECK] };
const FULL: RepoRoute = {
  ...ROUTE,
  merge: { mode: 'when-green', max_changed_lines: 400, within_scope: true },
};

/** What the contract says of a draft, as the service says it. */
function refusedBy(draft: Partial<MergeDraft>) {
  const changed = withMerge(ROUTE, { ...mergeDraft(FULL), ...draft });
  const issues = RepoRoute.safeParse(changed).error?.issues ?? [];
  return refused(issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}

function refused(details: { path: string; message: string }[]) {
  const body = { error: 'no', code: 'bad_request' as const, reason: 'invalid_input', details };
  return refusedMerge(new ApiError(400, 'no', { body: body as never }));
}

describe('the form of the merge policy', () => {
  it.each<RepoRoute>([
    ROUTE,
    FULL,
    { ...ROUTE, merge: { mode: 'never' } },
    { ...ROUTE, merge: { mode: 'ask', max_changed_lines: 9 } },
  ])('gives back what nobody changed', (route) =>
    expect(withMerge(route, mergeDraft(route))).toEqual(route),
  );

  it('sends the conditions where pull requests are queued by themselves, and only there', () => {
    const draft = { mode: 'when-green', maxChangedLines: ' 120 ', withinScope: true } as const;
    expect(withMerge(ROUTE, draft)).toEqual({
      ...ROUTE,
      merge: { mode: 'when-green', max_changed_lines: 120, within_scope: true },
    });
    expect(withMerge(ROUTE, { ...draft, mode: 'ask' }).merge).toEqual({ mode: 'ask' });
    expect(withMerge(FULL, { ...draft, mode: 'never' })).toEqual(ROUTE);
    const empty = { ...draft, maxChangedLines: ' ', withinScope: false };
    expect(withMerge(FULL, empty).merge).toEqual({ mode: 'when-green' });
  });

  it('says beside the field what the service refuses', () => {
    for (const maxChangedLines of ['0', '1000001'])
      expect(refusedBy({ maxChangedLines })).toEqual({
        fields: { maxChangedLines: 'A whole number from 1 to 1,000,000.' },
        rest: null,
      });
    expect(refusedBy({ maxChangedLines: '1000000' }).fields).toEqual({});
    expect(refused([{ path: 'merge.mode', message: 'needs checks' }]).fields).toEqual({
      mode: 'needs checks',
    });
  });

  it('leaves the rest to the form', () => {
    expect(refused([{ path: 'url', message: 'no such repository' }])).toMatchObject({
      fields: {},
      rest: { status: 400 },
    });
  });

  it('has a line for each policy but the one without a queue', () => {
    expect(mergeText(ROUTE)).toBeNull();
    expect(mergeText({ merge: { mode: 'never' } })).toBeNull();
    expect(mergeText({ merge: { mode: 'ask' } })).toBe('Merge queue: when a person asks');
    expect(mergeText(FULL)).toBe(
      'Merge queue: by itself, up to 400 changed lines, within its scope',
    );
  });
});
