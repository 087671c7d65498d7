import { describe, expect, it } from 'vitest';
import { judgeSteps, type SetupStanding } from './decide.ts';

const bare: SetupStanding = {
  masterKey: { confirmed: false },
  tracker: { kind: 'local', hasKey: true },
  routes: [],
  provider: { name: 'openai', model: 'm', hasKey: false, isPublic: true },
  runners: [],
  testIssue: null,
  checks: {},
  changed: new Set(),
  provenAtMs: null,
};
const passed = { ok: true, message: 'fine', warnings: [], sinceMs: 0 };
const refused = { ok: false, message: 'no such repository', warnings: [], sinceMs: 0 };
const main = (standing: SetupStanding) =>
  judgeSteps(standing).flatMap(({ step, isMain }) => (isMain ? [step] : []));
const stateOf = (standing: SetupStanding, name: string) =>
  judgeSteps(standing).find(({ step }) => step === name)?.state;
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
      checks: { repository: passed, provider: passed },
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
    expect(words(tried, 'issue')).toMatch(/^SY-1 became a pull request \(scripted trial\)/);
    // The model that is connected meanwhile has shown nothing yet.
    expect(done(tried)).not.toContain('issue');
    expect(words(tried, 'issue')).toMatch(/no issue was completed with a model yet$/);
    expect(done({ ...tried, provenAtMs: 5 })).toContain('issue');
    const onTrial = { ...tried, provider: { ...tried.provider, onTrial: true } };
    expect(done(onTrial)).toContain('issue');
    expect(words(onTrial, 'issue')).toBe('SY-1 became a pull request (scripted trial)');
  });

  it('need no key on trial, and say that it is one', () => {
    const trial = { ...bare, provider: { ...bare.provider, onTrial: true } };
    expect(done(trial)).toEqual(['provider', 'tracker']);
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
    expect(stateOf(own, 'provider')).toBe('waiting');
    expect(done({ ...own, checks: { provider: passed } })).toContain('provider');
    const failed = {
      identifier: 'SY-1',
      status: 'failed' as const,
      reason: 'no',
      pullRequestUrl: null,
    };
    expect(words({ ...bare, testIssue: failed }, 'issue')).toBe('SY-1 is failed: no');
  });

  const repository: SetupStanding = { ...bare, routes: [{ url: 'file:///a.git', host: 'local' }] };

  it('lead by repository, model and first issue; the rest has a default until it needs a person', () => {
    const runners = [{ connected: true, draining: false }];
    expect(main({ ...repository, runners })).toEqual(['repository', 'provider', 'issue']);
    expect(main(repository)).toEqual(['repository', 'provider', 'runner', 'issue']);
    const elsewhere = [{ url: 'https://github.com/a/b', host: 'github' }];
    expect(main({ ...bare, runners, routes: elsewhere })).toEqual([
      'repository',
      'code_host',
      'provider',
      'issue',
    ]);
    const linear = { kind: 'linear', hasKey: false };
    expect(main({ ...bare, runners, tracker: linear })).toContain('tracker');
    expect(main(bare)).not.toContain('master_key');
  });

  it('are done when their check has passed, and say what it waits for before', () => {
    expect(stateOf(repository, 'repository')).toBe('waiting');
    expect(words(repository, 'repository')).toContain('waits for a runner');
    const failed = { ...repository, checks: { repository: refused } };
    expect(stateOf(failed, 'repository')).toBe('failed');
    expect(done(failed)).not.toContain('repository');
    expect(words(failed, 'repository')).toBe(refused.message);
    const warned = { ...passed, warnings: ['merge by hand'] };
    const step = judgeSteps({ ...repository, checks: { repository: warned } })[0];
    expect(step).toMatchObject({ done: true, warnings: ['merge by hand'] });
  });

  it('of a service at work stay done, though nobody has looked since they were set', () => {
    const old: SetupStanding = {
      ...repository,
      provider: { ...bare.provider, hasKey: true },
      runners: [{ connected: true, draining: false }],
      provenAtMs: 5,
    };
    expect(done(old)).toEqual(expect.arrayContaining(['repository', 'provider', 'issue']));
    // Only its runners reach the provider: our look says less than work that was done with it.
    const apart = { ...old, checks: { provider: refused } };
    expect(stateOf(apart, 'provider')).toBe('done');
    // A code host that came after the work has proven nothing yet.
    const routes = [{ url: 'https://github.com/a/b', host: 'github' }];
    const moved = { ...old, routes, changed: new Set(['code_host', 'repository'] as const) };
    expect(stateOf(moved, 'code_host')).toBe('waiting');
    expect(stateOf(moved, 'repository')).toBe('waiting');
    const since = { ...old, checks: { provider: { ...refused, sinceMs: 9 } } };
    expect(stateOf(since, 'provider')).toBe('failed');
  });
});
