import { describe, expect, it } from 'vitest';
import { mergeConfig } from '../../config/overlay/merge-config.ts';
import { engineChain, type RoutedIssue } from './engine-chain.ts';
import { threadToResume } from './thread-to-resume.ts';

const account = (name: string) => ({
  name,
  provider: { baseUrl: `https://${name}.example/v1`, wireApi: 'messages' },
});
const choice = (name: string, changes: object = {}) => ({
  name,
  engine: 'claude',
  model: `model of ${name}`,
  account: 'team',
  ...changes,
});
const CHOICES = {
  accounts: [account('team'), account('own')],
  choices: [
    choice('big', { reasoningEffort: 'high' }),
    choice('small', { account: 'own' }),
    choice('other', { engine: 'our-agent' }),
  ],
};

function configOf(engine: object) {
  const merged = mergeConfig([{ engine: { ...CHOICES, ...engine } }]);
  if (!merged.ok) throw new Error(merged.errors[0]?.message);
  return merged.config;
}

const ISSUE: RoutedIssue = {
  labels: [],
  state: 'Todo',
  template_id: null,
  repository: null,
  automation: null,
  engine: null,
  model: null,
  reasoning_effort: null,
};
const chain = (engine: object, issue: Partial<RoutedIssue> = {}) =>
  engineChain({ ...ISSUE, ...issue }, configOf(engine));
const names = (engine: object, issue: Partial<RoutedIssue> = {}) =>
  chain(engine, issue)?.map(({ name }) => name);

describe('the chain of an issue', () => {
  it('is the configured engine alone where nothing else is said', () => {
    expect(chain({ model: 'usual' })).toMatchObject([
      { name: 'default', engine: undefined, model: 'usual', account: undefined },
    ]);
  });

  it('begins with what the first matching rule uses and goes on with the failover', () => {
    const engine = {
      rules: [
        { labels: ['Hard', 'big'], states: ['todo'], use: 'big' },
        { repositories: ['https://git.example/shop.git'], use: 'small', failover: ['other'] },
        { automations: ['nightly'], failover: ['other', 'big'] },
        { templates: ['tpl'], use: 'default' },
      ],
      failover: ['small', 'big', 'default'],
    };
    expect(names(engine)).toEqual(['small', 'big', 'default']);
    expect(names(engine, { labels: [' hard '] })).toEqual(['big', 'small', 'default']);
    expect(names(engine, { labels: ['hard'], state: 'Doing' })?.[0]).toBe('small');
    const repository = 'https://git.example/shop.git';
    expect(names(engine, { repository })).toEqual(['small', 'other']);
    expect(names(engine, { automation: 'nightly' })).toEqual(['other', 'big']);
    expect(names(engine, { template_id: 'tpl' })).toEqual(['default', 'small', 'big']);
  });

  it('begins with what a person chose, by choice or by engine, before any rule', () => {
    const engine = { rules: [{ use: 'big' }], failover: ['default'] };
    expect(names(engine, { engine: 'small' })).toEqual(['small', 'default']);
    expect(names(engine, { engine: 'our-agent' })).toEqual(['other', 'default']);
    expect(names(engine, { engine: 'default' })).toEqual(['default']);
    expect(names(engine, { engine: 'gone' })).toBeUndefined();
  });

  it("gives an issue's own model and effort to its first choice only", () => {
    const own = { model: 'mine', reasoning_effort: 'low' };
    expect(chain({ failover: ['small', 'big'] }, own)).toMatchObject([
      { model: 'mine', reasoningEffort: 'low' },
      { model: 'model of big', reasoningEffort: 'high' },
    ]);
  });
});

describe('the thread that goes on', () => {
  const [big, other] = chain({ failover: ['big', 'other'] }) ?? [];
  const [small] = chain({ failover: ['small'] }) ?? [];
  if (big === undefined || small === undefined || other === undefined) throw new Error('no chain');
  const thread = { thread_id: 't', thread_engine: 'claude' };

  it('is one of the same engine on the same account', () => {
    const owner = { engine: 'claude', account: 'team', model: 'usual' };
    expect(threadToResume(thread, owner, big)).toBe('t');
    expect(threadToResume(thread, owner, small)).toBeNull();
    expect(threadToResume(thread, owner, other)).toBeNull();
    expect(threadToResume({ ...thread, thread_engine: null }, owner, big)).toBeNull();
    expect(threadToResume({ ...thread, thread_id: null }, owner, big)).toBeNull();
  });
});
