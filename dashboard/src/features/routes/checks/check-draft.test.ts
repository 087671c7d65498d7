import { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { MAX_CHECKS as CONTRACT_MAX_CHECKS } from '@switchyard/shared/checks/check-spec';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import {
  addDraft,
  type CheckDraft,
  checkFrom,
  draftsOf,
  MAX_CHECKS,
  moveDraft,
  refusedChecks,
  type RepoCheck,
} from './check-draft.ts';

const LINT = { name: 'lint', command: 'npm run lint', timeout_ms: 90_001 };
const OF_LATER = { name: 'test', command: 'npm test', ofLater: true } as RepoCheck;
const drafts = draftsOf({ checks: [LINT, OF_LATER] });
const names = (of: readonly CheckDraft[]) => of.map(({ name }) => name);

function refused(details: { path: string; message: string }[]): ApiError {
  const body = { error: 'no', code: 'bad_request' as const, reason: 'invalid_input', details };
  return new ApiError(400, 'no', { body: body as never });
}

/** What the contract says of these checks, as the service says it. */
function refusedBy(checks: readonly CheckDraft[]) {
  const route = { prefix: 'SY-', url: 'file:///a.git', checks: checks.map(checkFrom) };
  const { error } = RepoRoute.safeParse(route);
  const issues = error?.issues ?? [];
  return refusedChecks(
    refused(issues.map(({ path, message }) => ({ path: path.join('.'), message }))),
    checks,
  );
}

describe('the form of declared checks', () => {
  it('keeps what nobody changed, to the last digit, and what it does not know', () => {
    expect(drafts.map(checkFrom)).toEqual([LINT, OF_LATER]);
  });

  it('takes the limit in minutes, and leaves it to the service where none is given', () => {
    const [lint, test] = drafts as [CheckDraft, CheckDraft];
    expect(checkFrom({ ...lint, minutes: '' })).toEqual({ name: 'lint', command: 'npm run lint' });
    expect(checkFrom({ ...test, minutes: '0.5' })).toEqual({ ...OF_LATER, timeout_ms: 30_000 });
  });

  it('changes the order, and not beyond the ends', () => {
    expect(names(moveDraft(drafts, 1, 0))).toEqual(['test', 'lint']);
    expect(moveDraft(drafts, 0, -1)).toBe(drafts);
    expect(moveDraft(drafts, 1, 2)).toBe(drafts);
  });

  it('says beside each field what the service says of it', () => {
    const empty = addDraft(draftsOf({ checks: [LINT] }), {
      name: 'a`b',
      command: ' ',
      timeout_ms: 10,
    });
    expect([...refusedBy(empty).fields]).toEqual([
      ['2.name', 'must be 1 to 64 of A-Z a-z 0-9 space . _ : / -'],
      ['2.command', 'A command is needed.'],
      ['2.minutes', 'From 1 second (0.02) to 60 minutes.'],
    ]);
    expect(refusedBy(empty).rest).toBeNull();
  });

  it('says at the later one that a name is there twice', () => {
    const twice = addDraft(drafts, LINT);
    expect([...refusedBy(twice).fields]).toEqual([['3.name', 'two checks have the same name']]);
  });

  it('leaves the rest to the form', () => {
    const error = refused([{ path: 'url', message: 'no such repository' }]);
    expect(refusedChecks(error, drafts)).toEqual({ fields: new Map(), rest: error });
  });

  it('knows how many there may be', () => expect(MAX_CHECKS).toBe(CONTRACT_MAX_CHECKS));
});
