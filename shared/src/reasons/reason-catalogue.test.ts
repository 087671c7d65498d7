import { describe, expect, it } from 'vitest';
import { FailureKind } from '../api/work/attempt.ts';
import { ReasonCode } from '../api/work/reason-code.ts';
import { codeOfFailure } from './code-of-failure.ts';
import { actionFor, explainReason, reasonLine, waitsForPerson } from './explain-reason.ts';
import { REASON_ACTIONS } from './reason-actions.ts';
import { REASON_CATALOGUE } from './reason-catalogue.ts';
import { upstreamTrouble } from './upstream-trouble.ts';

const entries = Object.entries(REASON_CATALOGUE);

describe('the catalogue of reasons', () => {
  it('has exactly one entry for each code', () => {
    expect(entries.map(([code]) => code).toSorted()).toEqual(ReasonCode.options.toSorted());
    const causes = entries.map(([, { cause }]) => cause);
    expect(new Set(causes).size).toBe(causes.length);
  });

  it.each(entries)('says in sentences what %s is and what comes next', (code, entry) => {
    for (const sentence of [entry.cause, entry.next]) {
      expect(sentence).toMatch(/^[A-Z].*\.$/);
      // Where it leads is a link: `action`.
      expect(sentence).not.toMatch(/\/api\/|\bPOST\b|_|\.md\b/);
    }
    expect(entry.person === 'never' || entry.action !== 'none', code).toBe(true);
  });

  it('has a code for each kind of failure', () => {
    for (const kind of FailureKind.options) expect(codeOfFailure(kind)).toBeDefined();
    expect(codeOfFailure('auth_failed', 'codehost')).toBe('codehost_auth_failed');
  });

  it('takes a runner’s finer code only where it makes the kind finer', () => {
    expect(codeOfFailure('agent_error', 'provider', 'engine_killed')).toBe('engine_killed');
    expect(codeOfFailure('agent_error', 'provider', 'pull_request_opened')).toBe('agent_error');
    expect(codeOfFailure('runner_lost', 'provider', 'no such code')).toBe('runner_lost');
  });
});

describe('a reason in words', () => {
  const failed = { status: 'failed' as const, reason: 'it broke' };
  it('calls a kill a kill, and says what to do', () => {
    const words = explainReason({ ...failed, reasonCode: 'engine_killed' });
    expect(words?.cause).toBe('The agent’s process was killed from outside.');
    expect(words).toMatchObject({ detail: 'it broke', action: 'retry' });
  });

  it('asks for nothing while it is tried again by itself', () => {
    const retrying = { status: 'retrying', reason: 'it broke' } as const;
    expect(explainReason({ ...retrying, reasonCode: 'container_oom' })?.action).toBe('none');
    const key = { ...retrying, reasonCode: 'provider_auth_failed' } as const;
    expect(explainReason(key)?.action).toBe('connect_provider');
    expect(waitsForPerson(key)).toBe(true);
  });

  it('says once that an agent is blocked, and then what it needs', () => {
    const blocked = { status: 'blocked', reasonCode: 'agent_blocked' } as const;
    const reason = 'the agent is blocked: which key?';
    expect(reasonLine({ ...blocked, reason })).toBe(
      'The agent needs a person to go on: which key?',
    );
  });

  it.each([
    [
      'provider_limited',
      'waiting for the model provider: Rate limit reached',
      'The model provider limits usage for now: Rate limit reached',
    ],
    [
      'codehost_limited',
      'waiting for the code host: slow down',
      'The code host limits requests for now: slow down',
    ],
    [
      'providers_paused',
      'first: waiting for the model provider: slow down',
      'No model provider of the issue’s chain can be used for now: first: waiting for the model provider: slow down',
    ],
  ] as const)('says once what an issue waits for: %s', (reasonCode, reason, line) =>
    expect(reasonLine({ status: 'retrying', reason, reasonCode })).toBe(line),
  );

  it('says of an issue that its tracker shows no more what it waited for, and that nothing is to do', () => {
    const gone = {
      status: 'blocked',
      reason: null,
      reasonCode: 'runner_lost',
      outOfSight: true,
    } as const;
    expect(explainReason(gone)).toMatchObject({
      cause: 'The issue is no longer in the tracker.',
      detail: expect.stringMatching(/^before that “The runner.*[^.]”$/),
      action: 'none',
    });
    expect(waitsForPerson(gone)).toBe(false);
    const reason = 'it was moved to acme/attic#1; no route leads there';
    const moved = explainReason({ ...gone, reason, reasonCode: 'tracker_excluded' });
    expect(moved).toMatchObject({ detail: reason });
  });

  it('leaves text from before codes as it is', () => {
    expect(reasonLine({ ...failed, reasonCode: null })).toBe('it broke');
    expect(explainReason({ status: 'idle', reason: null, reasonCode: null })).toBeNull();
  });

  it('shows no address of an upstream', () => {
    const words = 'quota used up at (http://10.0.0.7:8080/v1/responses) until noon';
    expect(upstreamTrouble('provider_limited', words)).toBe('quota used up at until noon');
    expect(upstreamTrouble('provider_unreachable', words)).toBe('it cannot be reached');
  });

  it('leads to a page for every action', () => {
    for (const name of Object.keys(REASON_ACTIONS) as (keyof typeof REASON_ACTIONS)[]) {
      expect(actionFor(name, 'SY 1')?.path).toMatch(/^\/[^{}]*$/);
    }
    expect(actionFor('retry', 'SY-1')?.command).toBe('switchyard issue retry SY-1');
    expect(actionFor('none', 'SY-1')).toBeNull();
  });
});
