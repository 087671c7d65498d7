import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../connection/journal/journal.ts';
import { testSpec } from '../../connection/testing/attempt-spec.ts';
import { isolationProblem } from '../session/isolation-problem.ts';
import { judgeOffer } from './judge-offer.ts';

const host = {
  draining: false,
  diskLow: false,
  freeSlots: 1,
  entries: [],
  hasEngine: true,
  engineWait: null,
  isolationProblem: null,
  isAllowedImage: true,
  attemptIsDying: false,
};
const processes = { isolation: 'process' as const };
const containers = {
  isolation: 'docker' as const,
  levelOf: (runtime: string | undefined) =>
    runtime === undefined
      ? ('container' as const)
      : runtime === 'runsc'
        ? ('kernel' as const)
        : null,
};

describe('offers that a host must not take', () => {
  it('declines for good what it may not start', () => {
    const spec = testSpec();
    expect(judgeOffer(spec.attemptId, spec, host)).toEqual({ accepted: true });
    const weak = judgeOffer(spec.attemptId, spec, { ...host, isolationProblem: 'too weak' });
    expect(weak).toMatchObject({ accepted: false, code: 'SPEC_INVALID', message: 'too weak' });
    const image = judgeOffer(spec.attemptId, spec, { ...host, isAllowedImage: false });
    expect(image).toMatchObject({ accepted: false, code: 'SPEC_INVALID' });
  });

  it('needs an engine for an agent, and none for the test of a merge', () => {
    const merge = { baseBranch: 'main', branch: 'b', expectedCommit: '0', message: 'm' };
    const none = { ...host, hasEngine: false };
    const waits = { ...host, engineWait: 'it is fetched' };
    const judged = [none, waits].map((each) => [
      judgeOffer('att_00000001', testSpec(), each),
      judgeOffer('att_00000001', testSpec({ merge }), each),
    ]);
    expect(judged).toMatchObject([
      [{ accepted: false, code: 'SPEC_INVALID' }, { accepted: true }],
      [{ accepted: false, code: 'NO_SLOT' }, { accepted: true }],
    ]);
  });

  it('waits for an attempt that writes to the same folder, whatever the case', () => {
    const held = { attemptId: 'att_2', spec: testSpec({ attemptId: 'att_2' }) };
    const entries = [held as unknown as JournalEntry];
    const offer = (change: Partial<AttemptSpec['issue']>, workspaceKey?: string) => {
      const issue = { ...held.spec.issue, id: 'iss_9', ...change };
      const spec = testSpec({ issue, ...(workspaceKey === undefined ? {} : { workspaceKey }) });
      return judgeOffer(spec.attemptId, spec, { ...host, entries });
    };
    expect(offer({ identifier: 'SY-2' })).toEqual({ accepted: true });
    expect(offer({ identifier: 'sy-1' })).toEqual({ accepted: false, code: 'NO_SLOT' });
    expect(offer({ identifier: 'sy-1' }, 'sy-1--2')).toEqual({ accepted: true });
  });

  it('compares the isolation that is asked for with what there is', () => {
    expect(isolationProblem(processes, {})).toBeNull();
    expect(isolationProblem(processes, { isolation: 'container' })).toContain('"process"');
    expect(isolationProblem(containers, { isolation: 'container' })).toBeNull();
    expect(isolationProblem(containers, { isolation: 'kernel' })).toContain('"container"');
    expect(isolationProblem(containers, { isolation: 'kernel', runtime: 'runsc' })).toBeNull();
    expect(isolationProblem(containers, { runtime: 'kata' })).toContain(
      'no container runtime kata',
    );
  });
});
