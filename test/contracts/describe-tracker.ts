import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Tracker, TrackerError } from '../../control-plane/src/ports/tracker/tracker.ts';

export type HumanIssue = {
  title: string;
  description?: string;
  state: string;
  priority?: number;
  labels?: string[];
  /** Ids of issues. */
  blockedBy?: string[];
};

/** A tracker to be tested, and what a person sees and does in it without our adapter. */
export type TrackerHarness = {
  tracker: Tracker;
  /** Names of real states, one of each kind. */
  states: { active: string; inactive: string; terminal: string };
  human: {
    createIssue(issue: HumanIssue): Promise<{ id: string; identifier: string }>;
    moveIssue(id: string, state: string): Promise<void>;
    comments(id: string): Promise<{ id: string; body: string }[]>;
    attachments(id: string): Promise<{ url: string; title: string }[]>;
  };
  /** From now on moves are answered like any other and have no effect; left out: it cannot be. */
  ignoreMoves?(): void;
  close(): Promise<void>;
};

const HOSTILE = 'quotes \'"`, $(touch /tmp/x), a right-to-left \u202e mark and 😀';

/** What the orchestrator relies on, whichever tracker answers. */
export function describeTracker(name: string, makeHarness: () => Promise<TrackerHarness>): void {
  describe(`tracker: ${name}`, () => {
    let harness: TrackerHarness;
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(() => harness.close());

    describe('fetching', () => {
      fetching(() => harness);
    });
    describe('states', () => {
      states(() => harness);
    });
    describe('comments and attachments', () => {
      writing(() => harness);
    });
    describe('creating', () => {
      creating(() => harness);
    });
  });
}

function fetching(get: () => TrackerHarness): void {
  it('finds the issues in the given states with all that dispatch needs', async () => {
    const { tracker, human, states } = get();
    const made = await human.createIssue({
      title: 'Add a page',
      description: 'With\ntwo lines',
      state: states.active,
      priority: 2,
      labels: ['web', 'Urgent'],
    });
    await human.createIssue({ title: 'Later', state: states.inactive });
    const issues = await tracker.fetchByStates([states.active]);
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatchObject({
      ...made,
      title: 'Add a page',
      description: 'With\ntwo lines',
      state: states.active,
      priority: 2,
      blockedBy: [],
    });
    expect(issues[0]?.labels.toSorted()).toEqual(['Urgent', 'web']);
    expect(issues[0]?.identifier).toMatch(/^[A-Za-z][A-Za-z0-9]*-[0-9]+$/);
    expect(issues[0]?.createdAtMs).toBeGreaterThan(Date.parse('2020-01-01'));
  });

  it('takes state names in any case and with blanks around them', async () => {
    const { tracker, human, states } = get();
    const made = await human.createIssue({ title: 'Here', state: states.active });
    const issues = await tracker.fetchByStates([` ${states.active.toUpperCase()} `]);
    expect(issues.map((issue) => issue.id)).toEqual([made.id]);
  });

  it('finds nothing for no states or for states it does not have', async () => {
    const { tracker, human, states } = get();
    await human.createIssue({ title: 'Here', state: states.active });
    expect(await tracker.fetchByStates([])).toEqual([]);
    expect(await tracker.fetchByStates(['No such state'])).toEqual([]);
  });

  it('finds issues by id in whatever state, and leaves out those that do not exist', async () => {
    const { tracker, human, states } = get();
    const done = await human.createIssue({ title: 'Old', state: states.terminal });
    const open = await human.createIssue({ title: 'New', state: states.active });
    const found = await tracker.fetchByIds([open.id, 'no-such-id', done.id, open.id]);
    expect(found.map((issue) => issue.id).toSorted()).toEqual([open.id, done.id].toSorted());
    expect(await tracker.fetchByIds([])).toEqual([]);
  });

  it('tells what blocks an issue and whether that has ended', async () => {
    const { tracker, human, states } = get();
    const first = await human.createIssue({ title: 'First', state: states.active });
    const second = await human.createIssue({
      title: 'Second',
      state: states.active,
      blockedBy: [first.id],
    });
    const blockers = async () => (await tracker.fetchByIds([second.id]))[0]?.blockedBy;
    expect(await blockers()).toEqual([{ ...first, state: states.active, terminal: false }]);
    await human.moveIssue(first.id, states.terminal);
    expect(await blockers()).toEqual([{ ...first, state: states.terminal, terminal: true }]);
  });
}

function states(get: () => TrackerHarness): void {
  it('has roles whose states exist', async () => {
    const { tracker, human, states } = get();
    const { id } = await human.createIssue({ title: 'Any', state: states.active });
    const listed = await tracker.listStates(id);
    const roles = tracker.stateRoles();
    const named = [roles.started, roles.review, roles.blocked].filter((state) => state !== null);
    expect(listed).toEqual(expect.arrayContaining([...roles.active, ...roles.terminal, ...named]));
    expect(roles.active).toContain(states.active);
    expect(roles.terminal).toContain(states.terminal);
    expect(roles.active).not.toContain(states.inactive);
  });

  it('moves an issue, and does nothing when it is there already', async () => {
    const { tracker, human, states } = get();
    const { id } = await human.createIssue({ title: 'Mover', state: states.active });
    const seen = await tracker.transition(id, states.inactive.toLowerCase());
    const [moved] = await tracker.fetchByIds([id]);
    expect(moved?.state).toBe(states.inactive);
    const after = { state: states.inactive, updatedAtMs: moved?.updatedAtMs };
    expect(seen).toEqual({ before: states.active, ...after });
    const again = await tracker.transition(id, states.inactive);
    expect(again).toEqual({ before: states.inactive, ...after });
    expect(await tracker.fetchByIds([id])).toEqual([moved]);
  });

  it('gives what is seen where a move is answered and has no effect', async () => {
    const { tracker, human, states, ignoreMoves } = get();
    if (ignoreMoves === undefined) return;
    const { id } = await human.createIssue({ title: 'Stays', state: states.active });
    const [before] = await tracker.fetchByIds([id]);
    ignoreMoves();
    const seen = { before: states.active, state: states.active, updatedAtMs: before?.updatedAtMs };
    expect(await tracker.transition(id, states.inactive)).toEqual(seen);
    expect(await tracker.transition(id, states.terminal)).toEqual(seen);
    expect(await tracker.fetchByIds([id])).toEqual([before]);
  });

  it('refuses a state or an issue that does not exist', async () => {
    const { tracker, human, states } = get();
    const { id } = await human.createIssue({ title: 'Stays', state: states.active });
    await expect(tracker.transition(id, 'No such state')).rejects.toThrow(TrackerError);
    await expect(tracker.transition('no-such-id', states.inactive)).rejects.toThrow(TrackerError);
    await expect(tracker.listStates('no-such-id')).rejects.toThrow(TrackerError);
    expect((await tracker.fetchByIds([id]))[0]?.state).toBe(states.active);
  });
}

function writing(get: () => TrackerHarness): void {
  it('keeps one comment per key and edits it', async () => {
    const { tracker, human, states } = get();
    const { id } = await human.createIssue({ title: 'Talk', state: states.active });
    const first = await tracker.upsertComment(id, 'status', 'running');
    expect(await tracker.upsertComment(id, 'status', 'running')).toBe(first);
    expect(await tracker.upsertComment(id, 'status', `delivered: ${HOSTILE}`)).toBe(first);
    expect(await human.comments(id)).toEqual([{ id: first, body: `delivered: ${HOSTILE}` }]);
  });

  it('keeps one comment when two writers come at once, and another for another key', async () => {
    const { tracker, human, states } = get();
    const { id } = await human.createIssue({ title: 'Talk', state: states.active });
    const ids = await Promise.all(
      ['a', 'b', 'c'].map((body) => tracker.upsertComment(id, 'status', body)),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await human.comments(id)).toHaveLength(1);
    expect(await tracker.upsertComment(id, 'other', 'd')).not.toBe(ids[0]);
    expect(await human.comments(id)).toHaveLength(2);
  });

  it('lets agents read the newest comments, oldest first', async () => {
    const { tracker, human, states } = get();
    const { id } = await human.createIssue({ title: 'Talk', state: states.active });
    expect(await tracker.listComments?.(id, 10)).toEqual([]);
    await tracker.upsertComment(id, 'status', `first ${HOSTILE}`);
    await tracker.upsertComment(id, 'agent', 'second');
    const comments = (await tracker.listComments?.(id, 10)) ?? [];
    expect(new Set(comments.map(({ body }) => body.split('\n')[0]))).toEqual(
      new Set([`first ${HOSTILE}`, 'second']),
    );
    expect(comments.every(({ author, createdAtMs }) => author !== '' && createdAtMs > 0)).toBe(
      true,
    );
    expect(await tracker.listComments?.(id, 1)).toHaveLength(1);
    await expect(tracker.listComments?.('no-such-id', 10)).rejects.toThrow(TrackerError);
  });

  it('shows a pull request once, with its newest title', async () => {
    const { tracker, human, states } = get();
    const { id } = await human.createIssue({ title: 'Show', state: states.active });
    const url = 'https://code.example/pulls/1';
    await Promise.all([
      tracker.attach(id, { url, title: 'Draft' }),
      tracker.attach(id, { url, title: 'Draft' }),
    ]);
    await tracker.attach(id, { url, title: 'Ready' });
    expect(await human.attachments(id)).toEqual([{ url, title: 'Ready' }]);
  });

  it('refuses to write on an issue that does not exist', async () => {
    const { tracker } = get();
    await expect(tracker.upsertComment('no-such-id', 'status', 'x')).rejects.toThrow(TrackerError);
    const attachment = { url: 'https://code.example/pulls/1', title: 'x' };
    await expect(tracker.attach('no-such-id', attachment)).rejects.toThrow(TrackerError);
  });
}

function creating(get: () => TrackerHarness): void {
  it('creates an issue that is found again as it was given', async () => {
    const { tracker } = get();
    const input = { title: HOSTILE, description: `${HOSTILE}\nmore`, labels: ['bug'], priority: 1 };
    const created = await tracker.createIssue(input);
    expect(created).toMatchObject(input);
    expect(await tracker.fetchByIds([created.id])).toEqual([created]);
  });

  it('folds line breaks in a title', async () => {
    const { tracker } = get();
    const created = await tracker.createIssue({ title: 'one\r\ntwo\nthree' });
    expect(created.title).toBe('one two three');
  });

  it('gives issues that are created at once different identifiers', async () => {
    const { tracker } = get();
    const titles = Array.from({ length: 12 }, (_, at) => `Issue ${at}`);
    const created = await Promise.all(titles.map((title) => tracker.createIssue({ title })));
    expect(new Set(created.map((issue) => issue.identifier)).size).toBe(titles.length);
    expect(new Set(created.map((issue) => issue.id)).size).toBe(titles.length);
  });
}
