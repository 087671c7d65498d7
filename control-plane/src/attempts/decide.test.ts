import { FailureKind } from '@switchyard/shared/api/work/attempt';
import type { IssueStatus } from '@switchyard/shared/api/work/issue';
import { codeOfFailure } from '@switchyard/shared/reasons/code-of-failure';
import { describe, expect, it } from 'vitest';
import {
  cancelledEnding,
  CONTINUATION_DELAY_MS,
  type Ending,
  issueAfterAttempt,
  type RetryPolicy,
  retryDelayMs,
} from './decide.ts';

const NOW_MS = 1_000_000;
const POLICY: RetryPolicy = {
  maxContinuationAttempts: 5,
  retryBaseMs: 10_000,
  maxRetryBackoffMs: 300_000,
};
const CLEAN: Ending = {
  outcome: 'completed',
  failureKind: null,
  code: null,
  message: null,
  marker: null,
  resetAtMs: null,
};
const FAILED: Ending = {
  ...CLEAN,
  outcome: 'failed',
  failureKind: 'agent_error',
  code: 'agent_error',
  message: 'it broke',
};

function after(ending: Ending, counts: { runCount?: number; failureCount?: number } = {}) {
  return issueAfterAttempt(ending, { runCount: 1, failureCount: 0, ...counts }, POLICY, NOW_MS);
}

describe('the delay before a retry', () => {
  it('doubles with every failure in a row up to the limit', () => {
    const delays = [1, 2, 3, 4, 5, 6, 50].map((failure) => retryDelayMs(POLICY, failure));
    expect(delays).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  });

  it('is a number for any count', () => {
    for (const failure of [0, -3, 2_000]) {
      expect(Number.isFinite(retryDelayMs(POLICY, failure))).toBe(true);
    }
  });
});

describe('the issue after a clean end', () => {
  it('is completed or blocked as the agent says', () => {
    expect(after({ ...CLEAN, marker: 'DONE' })).toMatchObject({
      status: 'completed',
      nextRetryAtMs: null,
    });
    expect(after({ ...CLEAN, marker: 'BLOCKED', message: 'which key?' })).toMatchObject({
      status: 'blocked',
      reason: 'which key?',
      nextRetryAtMs: null,
    });
  });

  it('goes on after a second when work is left, and forgets earlier failures', () => {
    expect(after(CLEAN, { runCount: 3, failureCount: 2 })).toMatchObject({
      status: 'retrying',
      nextRetryAtMs: NOW_MS + CONTINUATION_DELAY_MS,
      runCount: 3,
      failureCount: 0,
    });
  });

  it('fails as exhausted when the last attempt leaves work', () => {
    expect(after(CLEAN, { runCount: 5 })).toMatchObject({ status: 'retrying' });
    const last = after(CLEAN, { runCount: 6 });
    expect(last).toMatchObject({
      status: 'failed',
      failureKind: 'retries_exhausted',
      nextRetryAtMs: null,
    });
    expect(last.code).toBe('ended_without_result');
    expect(last.reason).toBe('all 6 attempts ended without the agent reporting done or blocked');
  });

  it('counts what the agent says even in the last attempt', () => {
    expect(after({ ...CLEAN, marker: 'DONE' }, { runCount: 6 })).toMatchObject({
      status: 'completed',
    });
  });
});

describe('the issue after a failure', () => {
  it('waits longer with every failure in a row', () => {
    expect(after(FAILED)).toMatchObject({ nextRetryAtMs: NOW_MS + 10_000, failureCount: 1 });
    expect(after(FAILED, { runCount: 2, failureCount: 1 })).toMatchObject({
      status: 'retrying',
      reason: 'it broke',
      nextRetryAtMs: NOW_MS + 20_000,
      failureCount: 2,
    });
  });

  it('keeps the last failure’s own kind when the attempts are used up', () => {
    const last = after(
      { ...FAILED, outcome: 'oom', failureKind: 'container_oom', code: 'container_oom' },
      { runCount: 6 },
    );
    expect(last).toMatchObject({ status: 'failed', nextRetryAtMs: null });
    expect(last.failureKind).toBeUndefined();
    expect(last.code).toBe('container_oom');
    expect(last.reason).toBe('all 6 attempts failed, the last one so: it broke');
  });

  it('makes one attempt only where no further one is allowed', () => {
    const policy = { ...POLICY, maxContinuationAttempts: 0 };
    const counts = { runCount: 1, failureCount: 0 };
    expect(issueAfterAttempt(FAILED, counts, policy, NOW_MS)).toMatchObject({
      status: 'failed',
      code: 'agent_error',
      reason: 'it broke',
    });
    expect(issueAfterAttempt(CLEAN, counts, policy, NOW_MS)).toMatchObject({ status: 'failed' });
  });

  it('blocks an issue whose delivery was refused for good: another run meets the same', () => {
    const ending = {
      ...FAILED,
      failureKind: 'delivery_refused',
      code: 'delivery_refused',
      message: 'GH013',
    } as const;
    expect(after(ending)).toMatchObject({
      status: 'blocked',
      nextRetryAtMs: null,
      reason: expect.stringContaining('GH013'),
    });
  });

  it.each([
    'repository_refused',
    'repository_unusable',
    'base_missing',
    'branch_refused',
    'workspace_foreign',
    'signing_key_missing',
  ])('blocks an issue that only a person can have begin at the first attempt: %s', (told) => {
    const failureKind = 'workspace_error';
    const code = codeOfFailure(failureKind, 'provider', told);
    expect(after({ ...FAILED, failureKind, code, message: 'do this' })).toMatchObject({
      status: 'blocked',
      code: told,
      reason: 'do this',
      nextRetryAtMs: null,
    });
    expect(after({ ...FAILED, failureKind, code: failureKind }).status).toBe('retrying');
  });

  it('retries what lies in one runner while another may have it, and blocks at the last try', () => {
    const failureKind = 'workspace_error';
    const ending = {
      ...FAILED,
      failureKind,
      code: 'signing_key_missing',
      mayElsewhere: true,
    } as const;
    expect(after(ending)).toMatchObject({ status: 'retrying', code: 'signing_key_missing' });
    const counts = { runCount: 1 + POLICY.maxContinuationAttempts, failureCount: 0 };
    expect(issueAfterAttempt(ending, counts, POLICY, 0).status).toBe('blocked');
  });

  it('blocks an issue whose agent would run what a plain process cannot hide', () => {
    const code = codeOfFailure('agent_error', 'provider', 'settings_not_hidden');
    expect(after({ ...FAILED, code })).toMatchObject({ status: 'blocked', code });
  });

  it('retries what may pass by itself, and blocks what only a person can end', () => {
    const afterEach: Record<FailureKind, IssueStatus> = {
      agent_error: 'retrying',
      container_oom: 'retrying',
      turn_stalled: 'retrying',
      agent_stalled: 'retrying',
      runner_lost: 'retrying',
      workspace_error: 'retrying',
      usage_limited: 'retrying',
      auth_failed: 'retrying',
      provider_unreachable: 'retrying',
      retries_exhausted: 'retrying',
      delivery_error: 'blocked',
      delivery_refused: 'blocked',
      budget_exceeded: 'blocked',
    };
    for (const failureKind of FailureKind.options) {
      const code = codeOfFailure(failureKind);
      const { status } = after({ ...FAILED, failureKind, code });
      expect({ failureKind, status }).toEqual({ failureKind, status: afterEach[failureKind] });
    }
  });

  it.each(['auth_failed', 'usage_limited', 'provider_unreachable'] as const)(
    'uses up no attempt when the provider failed: %s',
    (failureKind) => {
      const ending: Ending = { ...FAILED, failureKind, code: codeOfFailure(failureKind) };
      expect(after(ending, { runCount: 6 })).toMatchObject({ status: 'retrying', runCount: 5 });
      expect(after(ending, { runCount: 0 }).runCount).toBe(0);
    },
  );

  it('waits until the provider’s limit resets, and never starts in the past', () => {
    const ending: Ending = { ...FAILED, failureKind: 'usage_limited', code: 'provider_limited' };
    const resetAtMs = NOW_MS + 7_200_000;
    expect(after({ ...ending, resetAtMs }).nextRetryAtMs).toBe(resetAtMs);
    expect(after({ ...ending, resetAtMs: NOW_MS - 5 }).nextRetryAtMs).toBeGreaterThan(NOW_MS);
  });

  it('rests until what was used up is raised, the time of one attempt or a sum', () => {
    const ending = {
      ...FAILED,
      failureKind: 'budget_exceeded',
      code: 'attempt_time_used',
    } as const;
    expect(after(ending)).toMatchObject({ status: 'blocked', parkedKind: 'attempt_time' });
    expect(after({ ...ending, cancelKind: 'budget' })).toMatchObject({
      status: 'blocked',
      parkedKind: 'budget',
    });
  });

  it('is blocked until a person acts when the budget is used up', () => {
    expect(
      after({ ...FAILED, failureKind: 'budget_exceeded', code: 'attempt_time_used' }),
    ).toMatchObject({
      status: 'blocked',
      nextRetryAtMs: null,
    });
  });
});

describe('the reason of a paused upstream', () => {
  it('has no address of an internal network and no machine’s date in it', () => {
    const message = 'error sending request for url (http://10.2.3.4:8080/v1/responses)';
    const ending: Ending = {
      ...FAILED,
      failureKind: 'provider_unreachable',
      code: 'provider_unreachable',
      message,
    };
    const { reason } = after(ending);
    expect(reason).toBe('waiting for the model provider: it cannot be reached');
    const limited = { failureKind: 'usage_limited', code: 'provider_limited' } as const;
    expect(after({ ...FAILED, ...limited, message: `quota used up (${message})` }).reason).toBe(
      'waiting for the model provider: quota used up (error sending request for url )',
    );
  });
});

describe('the issue after a stop', () => {
  it('rests with the reason of whoever stopped it', () => {
    const ending = cancelledEnding('stopped by ada', 'person', 'stopped_by_person');
    expect(after(ending, { failureCount: 2 })).toMatchObject({
      status: 'cancelled',
      reason: 'stopped by ada',
      nextRetryAtMs: null,
    });
  });

  it('goes on after a pause without having used up an attempt', () => {
    expect(
      after(cancelledEnding('paused', 'pause', 'stopped_by_pause'), { runCount: 6 }),
    ).toMatchObject({
      status: 'queued',
      runCount: 5,
    });
  });

  it('is blocked when the budget stopped it', () => {
    const ending = cancelledEnding('too many tokens', 'budget', 'day_budget_used');
    expect(ending).toMatchObject({ outcome: 'failed', failureKind: 'budget_exceeded' });
    expect(after(ending)).toMatchObject({ status: 'blocked', code: 'day_budget_used' });
  });
});
