import { describe, expect, it } from 'vitest';
import { judgeSteps, type SetupStanding } from './decide.ts';

const bare: SetupStanding = {
  masterKey: { confirmed: false },
  tracker: { kind: 'local', hasKey: true },
  routes: [],
  provider: { name: 'openai', model: 'm', hasKey: false, isPublic: true },
  runners: [],
  testIssue: null,
};
const done = (standing: SetupStanding) =>
  judgeSteps(standing).flatMap(({ step, done: isDone }) => (isDone ? [step] : []));
const words = (standing: SetupStanding, name: string) =>
  judgeSteps(standing).find(({ step }) => step === name)?.summary;

describe('the steps of the setup', () => {
  it('are all to do at first, but for the tracker that is built in', () => {
    expect(done(bare)).toEqual(['tracker']);
  });

  it('are done once everything is there and an issue went the whole way', () => {
    const all: SetupStanding = {
      ...bare,
      masterKey: { confirmed: true },
      routes: [{ url: 'file:///a.git', host: 'local' }],
      provider: { ...bare.provider, hasKey: true },
      runners: [{ connected: true, draining: false }],
      testIssue: {
        identifier: 'SY-1',
        status: 'completed',
        reason: null,
        pullRequestUrl: 'http://x/1',
      },
    };
    expect(done(all)).toHaveLength(7);
    expect(words(all, 'issue')).toBe('SY-1 became a pull request');
    const tried = { ...all, testIssueOnTrial: true };
    expect(words(tried, 'issue')).toBe('SY-1 became a pull request (scripted trial)');
  });

  it('need no key on trial, and say that it is one', () => {
    const trial = { ...bare, provider: { ...bare.provider, onTrial: true } };
    expect(done(trial)).toEqual(['tracker', 'provider']);
    expect(words(trial, 'provider')).toBe('On trial without a model');
  });

  it('say what is missing', () => {
    const linear = { ...bare, tracker: { kind: 'linear', hasKey: false } };
    expect(words(linear, 'tracker')).toBe('Linear: no key is set');
    const stranger = { ...bare, routes: [{ url: 'https://git.example/a.git', host: null }] };
    expect(words(stranger, 'code_host')).toContain('https://git.example/a.git');
    const draining = { ...bare, runners: [{ connected: true, draining: true }] };
    expect(words(draining, 'runner')).toBe('All runners are draining');
    const own = { ...bare, provider: { ...bare.provider, isPublic: false } };
    expect(done(own)).toContain('provider');
    const failed = {
      identifier: 'SY-1',
      status: 'failed' as const,
      reason: 'no',
      pullRequestUrl: null,
    };
    expect(words({ ...bare, testIssue: failed }, 'issue')).toBe('SY-1 is failed: no');
  });
});
