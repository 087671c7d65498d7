import { describe, expect, it } from 'vitest';
import { type Candidate, compareCandidates, decideDispatch, type DispatchInput } from './decide.ts';

/** Choices of the same engine, each with an account of its own. */
function chain(...upstreams: string[]): Candidate['chain'] {
  return upstreams.map((upstream) => ({
    name: `on ${upstream}`,
    engine: 'one',
    upstream,
    unready: null,
  }));
}

function candidate(identifier: string, changes: Partial<Candidate> = {}): Candidate {
  return {
    key: identifier,
    identifier,
    priority: null,
    createdAtMs: 1_000,
    state: 'Todo',
    labels: [],
    blockers: [],
    openParts: null,
    circle: null,
    unready: null,
    lastRunnerId: null,
    unfitRunnerId: null,
    feature: null,
    needsEngine: true,
    upstreams: [],
    chain: chain('provider:one'),
    ...changes,
  };
}

function decide(candidates: Candidate[], changes: Partial<DispatchInput> = {}) {
  return decideDispatch({
    candidates,
    runners: [{ runnerId: 'r1', freeSlots: 10, labels: [], tooWeak: null, engines: ['one'] }],
    runningStates: [],
    caps: { maxConcurrentAgents: 10, maxConcurrentAgentsByState: {}, requiredLabels: [] },
    pausedUpstreams: [],
    paused: null,
    nowMs: 1_000,
    ...changes,
  });
}

const caps = (changes: Partial<DispatchInput['caps']>): Pick<DispatchInput, 'caps'> => ({
  caps: { maxConcurrentAgents: 10, maxConcurrentAgentsByState: {}, requiredLabels: [], ...changes },
});
const keys = (decision: ReturnType<typeof decide>) => decision.assign.map(({ key }) => key);

describe('who comes first', () => {
  it('is decided by priority, then age, then identifier; no priority comes last', () => {
    const candidates = [
      candidate('SY-1', { priority: 0 }),
      candidate('SY-2', { priority: 4 }),
      candidate('SY-3', { priority: 1, createdAtMs: 9 }),
      candidate('SY-4', { priority: 1, createdAtMs: 5 }),
      candidate('SY-5', { priority: null, createdAtMs: 1 }),
      candidate('SY-6', { priority: 7, createdAtMs: 2 }),
      candidate('SY-8', { priority: 2 }),
      candidate('SY-7', { priority: 2 }),
    ];
    const order = ['SY-4', 'SY-3', 'SY-7', 'SY-8', 'SY-2', 'SY-5', 'SY-6', 'SY-1'];
    expect(candidates.toSorted(compareCandidates).map((c) => c.identifier)).toEqual(order);
    expect(keys(decide(candidates))).toEqual(order);
    expect(keys(decide(candidates.toReversed()))).toEqual(order);
  });
});

describe('what may run', () => {
  it('says of a circle of blockers the way round, before anything else', () => {
    const way = 'SY-1 → SY-2 → SY-1';
    const { wait } = decide([candidate('SY-1', { blockers: ['SY-2'], circle: way })]);
    expect(wait).toEqual([
      {
        key: 'SY-1',
        code: 'blocked_by_circle',
        eligible: false,
        reason: 'waits for itself, each for the next: SY-1 → SY-2 → SY-1',
      },
    ]);
  });

  it('waits for its blockers, its labels and what it needs, without claiming a slot', () => {
    const decision = decide(
      [
        candidate('SY-1', { blockers: ['SY-9', 'SY-10'] }),
        candidate('SY-2', { labels: ['Other'] }),
        candidate('SY-3', {
          labels: [' Agent '],
          unready: { code: 'repository_missing', reason: 'no repository' },
        }),
        candidate('SY-4', { labels: ['AGENT'] }),
      ],
      caps({ requiredLabels: ['agent'], maxConcurrentAgents: 1 }),
    );
    expect(keys(decision)).toEqual(['SY-4']);
    expect(decision.wait).toEqual([
      { key: 'SY-1', code: 'blocked_by_issues', reason: 'blocked by SY-9, SY-10', eligible: false },
      {
        key: 'SY-2',
        code: 'label_missing',
        reason: 'waiting for the label agent',
        eligible: false,
      },
      { key: 'SY-3', code: 'repository_missing', reason: 'no repository', eligible: false },
    ]);
  });

  it('runs nothing for a required label that is blank', () => {
    expect(keys(decide([candidate('SY-1')], caps({ requiredLabels: [''] })))).toEqual([]);
  });

  it('runs nothing while the service is paused, and says so', () => {
    const decision = decide([candidate('SY-1')], {
      paused: { code: 'service_paused', reason: 'paused by ada' },
    });
    expect(decision).toEqual({
      assign: [],
      wait: [{ key: 'SY-1', code: 'service_paused', reason: 'paused by ada', eligible: true }],
    });
  });
});

describe('the caps', () => {
  it('count what runs already and what is assigned in the same look', () => {
    const decision = decide([candidate('SY-1'), candidate('SY-2')], {
      ...caps({ maxConcurrentAgents: 3 }),
      runningStates: ['Todo', 'Done'],
    });
    expect(keys(decision)).toEqual(['SY-1']);
    expect(decision.wait).toMatchObject([{ key: 'SY-2', eligible: true }]);
    expect(decision.wait[0]?.reason).toContain('3 of 3');
  });

  it('hold per tracker state, whatever its case, and leave other states alone', () => {
    const decision = decide(
      [
        candidate('SY-1', { state: 'In Review ' }),
        candidate('SY-2', { state: 'in review' }),
        candidate('SY-3', { state: 'Todo' }),
      ],
      { ...caps({ maxConcurrentAgentsByState: { 'in review': 2 } }), runningStates: ['IN REVIEW'] },
    );
    expect(keys(decision)).toEqual(['SY-1', 'SY-3']);
  });

  it('never give a runner more than its free slots', () => {
    const candidates = Array.from({ length: 6 }, (_, index) => candidate(`SY-${index + 1}`));
    const runners = [
      { runnerId: 'r1', freeSlots: 2, labels: [], tooWeak: null, engines: ['one'] },
      { runnerId: 'r2', freeSlots: 1, labels: [], tooWeak: null, engines: ['one'] },
      { runnerId: 'r3', freeSlots: 0, labels: [], tooWeak: null, engines: ['one'] },
    ];
    const decision = decide(candidates, { runners });
    const byRunner = decision.assign.map(({ runnerId }) => runnerId).toSorted();
    expect(byRunner).toEqual(['r1', 'r1', 'r2']);
    expect(decision.wait.every(({ reason }) => reason.includes('full'))).toBe(true);
  });
});

describe('which runner', () => {
  const runners = [
    { runnerId: 'plain', freeSlots: 5, labels: [], tooWeak: null, engines: ['one'] },
    { runnerId: 'gpu', freeSlots: 1, labels: ['gpu', 'linux'], tooWeak: null, engines: ['one'] },
  ];

  it('waits for one that isolates as is asked for', () => {
    const tooWeak = 'isolates by at least "kernel"';
    const weak = { runnerId: 'weak', freeSlots: 5, labels: [], tooWeak, engines: ['one'] };
    const strong = {
      runnerId: 'strong',
      freeSlots: 1,
      labels: [],
      tooWeak: null,
      engines: ['one'],
    };
    const issue = candidate('SY-1', { lastRunnerId: 'weak' });
    expect(decide([issue], { runners: [weak] }).wait).toMatchObject([
      { reason: `waiting for a runner that ${tooWeak}`, eligible: true },
    ]);
    expect(decide([issue], { runners: [weak, strong] }).assign).toMatchObject([
      { runnerId: 'strong' },
    ]);
  });

  it('has the engine already where one does, before one that would have to fetch it', () => {
    const one = { labels: [], tooWeak: null, engines: ['one'] };
    const fetches = { ...one, runnerId: 'fetches', freeSlots: 5, fetchable: ['one'] };
    const has = { ...one, runnerId: 'has', freeSlots: 1 };
    const issues = [candidate('SY-1', { lastRunnerId: 'fetches' }), candidate('SY-2')];
    expect(decide(issues, { runners: [fetches, has] }).assign).toMatchObject([
      { key: 'SY-1', runnerId: 'has' },
      { key: 'SY-2', runnerId: 'fetches' },
    ]);
  });

  it('has the labels that the issue asks for', () => {
    const decision = decide(
      [
        candidate('SY-1', { labels: ['runner:gpu', 'runner:linux'] }),
        candidate('SY-2', { labels: ['runner:mac'] }),
        candidate('SY-3', { labels: ['gpu'] }),
      ],
      { runners },
    );
    expect(decision.assign).toMatchObject([
      { key: 'SY-1', runnerId: 'gpu' },
      { key: 'SY-3', runnerId: 'plain' },
    ]);
    expect(decision.wait).toMatchObject([
      { key: 'SY-2', reason: 'waiting for a runner with the label mac' },
    ]);
  });

  it('has the feature that a test of a merge needs, with whatever engine', () => {
    const test = candidate('SY-1', {
      feature: 'merge',
      needsEngine: false,
      labels: ['runner:gpu'],
      blockers: ['SY-9'],
      chain: chain('').map((entry) => ({ ...entry, engine: 'another' })),
    });
    expect(decide([test], { runners }).wait).toMatchObject([
      { code: 'runner_missing', reason: expect.stringContaining('newer runner') },
    ]);
    const newer = runners.map((one) => ({ ...one, features: ['merge'] }));
    expect(decide([test], { runners: newer }).assign).toMatchObject([
      { key: 'SY-1', runnerId: 'gpu' },
    ]);
  });

  it('is the one with the workspace if it is free, else the one with most room', () => {
    const warm = decide([candidate('SY-1', { lastRunnerId: 'gpu' })], { runners });
    expect(warm.assign).toMatchObject([{ runnerId: 'gpu' }]);
    const gone = decide([candidate('SY-1', { lastRunnerId: 'gone' })], { runners });
    expect(gone.assign).toMatchObject([{ runnerId: 'plain' }]);
  });

  it('is another one than could not begin it, also when that has to be waited for', () => {
    const issue = candidate('SY-1', { lastRunnerId: 'plain', unfitRunnerId: 'plain' });
    expect(decide([issue], { runners }).assign).toMatchObject([{ runnerId: 'gpu' }]);
    const full = runners.map((one) => (one.runnerId === 'gpu' ? { ...one, freeSlots: 0 } : one));
    expect(decide([issue], { runners: full }).wait).toMatchObject([{ code: 'slots_full' }]);
    const alone = runners.filter(({ runnerId }) => runnerId === 'plain');
    expect(decide([issue], { runners: alone }).assign).toMatchObject([{ runnerId: 'plain' }]);
  });

  it('is said to be missing when none is connected', () => {
    expect(decide([candidate('SY-1')], { runners: [] }).wait).toMatchObject([
      { reason: 'waiting for a runner: none is connected', eligible: true },
    ]);
  });
});

describe('a paused upstream', () => {
  const pausedUpstreams = [
    {
      upstream: 'provider:one',
      why: { code: 'provider_limited' as const, reason: 'usage limited' },
      open: false,
      dueAtMs: 2_000,
      failedKey: null,
    },
  ];

  it('holds back what needs it and nothing else', () => {
    const decision = decide(
      [candidate('SY-1'), candidate('SY-2', { chain: chain('provider:two') })],
      {
        pausedUpstreams,
      },
    );
    expect(decision.assign).toMatchObject([{ key: 'SY-2', canaryOf: [] }]);
    expect(decision.wait).toMatchObject([{ key: 'SY-1', reason: 'usage limited', eligible: true }]);
  });

  it('is tried out by exactly one canary when it is due', () => {
    const open = pausedUpstreams.map((pause) => ({ ...pause, open: true }));
    const decision = decide([candidate('SY-1'), candidate('SY-2')], { pausedUpstreams: open });
    expect(decision.assign).toMatchObject([{ key: 'SY-1', canaryOf: ['provider:one'] }]);
    expect(decision.wait).toMatchObject([{ key: 'SY-2' }]);
  });

  it('is not tried out twice in a row by the same issue while another one can', () => {
    const open = pausedUpstreams.map((pause) => ({ ...pause, open: true, failedKey: 'SY-1' }));
    const decision = decide([candidate('SY-1', { priority: 1 }), candidate('SY-2')], {
      pausedUpstreams: open,
    });
    expect(decision.assign).toMatchObject([{ key: 'SY-2', canaryOf: ['provider:one'] }]);
    expect(keys(decide([candidate('SY-1')], { pausedUpstreams: open }))).toEqual(['SY-1']);
  });

  it('keeps its turn for a canary that finds a runner', () => {
    const open = pausedUpstreams.map((pause) => ({ ...pause, open: true }));
    const decision = decide([candidate('SY-1', { labels: ['runner:mac'] }), candidate('SY-2')], {
      pausedUpstreams: open,
    });
    expect(decision.assign).toMatchObject([{ key: 'SY-2', canaryOf: ['provider:one'] }]);
  });
});
