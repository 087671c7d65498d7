import { createGitHubConnections } from '../../control-plane/src/integrations/github/api/github-connections.ts';
import { githubTrackerSettings } from '../../control-plane/src/integrations/github/tracker/github-tracker-settings.ts';
import { createGitHubTracker } from '../../control-plane/src/integrations/github/tracker/github-tracker.ts';
import { connectLinear } from '../../control-plane/src/integrations/linear/connect-linear.ts';
import { linearSettingsOf } from '../../control-plane/src/integrations/linear/linear-settings-of.ts';
import { type CoreWorld, createCoreWorld } from './core/core-world.ts';
import { openFramePeer } from './core/runner-peers.ts';
import { FakeGitHub } from './github/fake-github.ts';
import { blockers } from './github/fake-issue-routes.ts';
import type { FakeRepository, FakeUser } from './github/fake-state.ts';
import { type FakeLinear, startFakeLinear } from './linear/fake-linear.ts';

/** A record as it is about to be sent. */
export type ForeignRecord = Record<string, unknown>;

/** A core that polls a fake tracker, some of whose records are spoilt on their way. */
export type UnreadableTracker = {
  world: CoreWorld;
  createIssue(title: string, blockedBy?: string): { id: string; identifier: string };
  /** A person adds to its description. */
  edit(id: string): void;
  /** A person ends it. */
  finish(id: string): void;
  /** Deletes an issue for ever. */
  deleteIssue(id: string): void;
  say(issueId: string, body: string): void;
  /** From now on every record of an issue of this title, wherever it is shown, is changed so. */
  spoilIssue(title: string, change: (record: ForeignRecord) => void): void;
  /** The same for comments of these words. */
  spoilComment(body: string, change: (record: ForeignRecord) => void): void;
  /** Records are sent as they are again. */
  mend(): void;
  restart(): Promise<void>;
  close(): Promise<void>;
};

const ADA: FakeUser = { login: 'ada', id: 7, type: 'User' };

type Spoilt = { is: (record: ForeignRecord) => boolean; change: (record: ForeignRecord) => void };

/** Changes every record in an answer that one of the faults is about. */
function spoil(value: unknown, faults: readonly Spoilt[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const inner of Object.values(value)) spoil(inner, faults);
  const record = value as ForeignRecord;
  for (const { is, change } of faults) if (is(record)) change(record);
}

/** `idOf`: by what else an issue is known where its title is not shown. */
function faultsOf(idOf: (title: string) => unknown) {
  const faults: Spoilt[] = [];
  return {
    faults,
    spoilIssue: (title: string, change: Spoilt['change']) =>
      void faults.push({
        is: (record) => record['title'] === title || record['id'] === (idOf(title) ?? title),
        change,
      }),
    spoilComment: (body: string, change: Spoilt['change']) =>
      void faults.push({ is: (record) => record['body'] === body && 'user' in record, change }),
    mend: () => void faults.splice(0),
  };
}

export async function createUnreadableLinear(): Promise<UnreadableTracker & { fake: FakeLinear }> {
  const fake = await startFakeLinear();
  const variables = {
    SERVICE_CONFIG__tracker__kind: 'linear',
    SERVICE_CONFIG__tracker__linear__endpoint: fake.endpoint,
    SERVICE_CONFIG__tracker__linear__apiKey: fake.apiKey,
    SERVICE_CONFIG__repos: JSON.stringify([
      { prefix: 'ENG', url: 'file:///srv/repositories/shop', default_branch: 'main' },
    ]),
  };
  const world = await createCoreWorld(openFramePeer, variables);
  fake.world.time = () => world.clock.nowMs();
  const connect = async () => {
    const config = await world.deps.config.load();
    const settings = linearSettingsOf(() => config, world.deps.resolveSecret);
    const { tracker } = connectLinear({ ...world.deps, settings });
    world.deps.trackers = new Map([...world.deps.trackers, ['linear', tracker]]);
  };
  await connect();
  const { faults, ...spoiling } = faultsOf(
    (title) => [...fake.world.issues.values()].find((issue) => issue.title === title)?.id,
  );
  fake.spoil = (data) => spoil(data, faults);
  return {
    world,
    fake,
    ...spoiling,
    createIssue(title, blockedBy) {
      const stateId = fake.world.stateNamed('Todo').id;
      const blockers = blockedBy === undefined ? [] : [blockedBy];
      const issue = fake.world.add({ title, stateId, blockedBy: blockers }, fake.world.ada);
      return { id: issue.id, identifier: fake.world.identifier(issue) };
    },
    edit: (id) => void fake.world.change(id, { description: 'And more' }, fake.world.ada),
    finish: (id) =>
      void fake.world.change(id, { stateId: fake.world.stateNamed('Done').id }, fake.world.ada),
    deleteIssue: (id) => void fake.world.issues.delete(id),
    say: (issueId, body) => void fake.world.say(issueId, body, fake.world.ada),
    async restart() {
      await world.restart(variables);
      await connect();
    },
    async close() {
      await world.close();
      await fake.close();
    },
  };
}

export type UnreadableGitHub = UnreadableTracker & {
  fake: FakeGitHub;
  repository: FakeRepository;
  /** A second repository, to which a route leads too. */
  other: FakeRepository;
};

export async function createUnreadableGitHub(
  more: Record<string, string> = {},
): Promise<UnreadableGitHub> {
  const fake = await FakeGitHub.start();
  const [repository, other] = ['shop', 'docs'].map((name) => {
    const made = fake.addRepository('acme', name);
    made.isPublic = true;
    made.people.set('ada', { permission: 'write', member: 'private' });
    return made;
  }) as [FakeRepository, FakeRepository];
  const variables = {
    SERVICE_CONFIG__tracker__kind: 'github',
    SERVICE_CONFIG__repos: JSON.stringify([
      { prefix: 'SHOP', url: fake.urlOf(repository) },
      { prefix: 'DOCS', url: fake.urlOf(other) },
    ]),
    SERVICE_CONFIG__codehost__github__endpoint: fake.apiUrl,
    SERVICE_CONFIG__codehost__github__url: fake.webUrl,
    SERVICE_CONFIG__codehost__github__token: fake.credentials.token,
    ...more,
  };
  const world = await createCoreWorld(openFramePeer, variables);
  Object.assign(fake.limits, { nowMs: () => world.clock.nowMs() });
  const connect = async () => {
    const { config, logger } = world.deps;
    await config.load();
    const github = createGitHubConnections({ ...world.deps, settingsOf: githubTrackerSettings });
    const tracker = createGitHubTracker({ latest: () => config.latest(), github, logger });
    world.deps.trackers = new Map([...world.deps.trackers, ['github', tracker]]);
  };
  await connect();
  const { faults, ...spoiling } = faultsOf(() => null);
  fake.spoil = (body) => spoil(body, faults);
  const now = () => new Date(world.clock.nowMs()).toISOString();
  const numberOf = (id: string) => Number(id.split('#')[1]);
  return {
    world,
    fake,
    repository,
    other,
    ...spoiling,
    createIssue(title, blockedBy) {
      repository.lastNumber += 1;
      const number = repository.lastNumber;
      repository.issues.push({
        id: fake.nextId(),
        number,
        state: 'open',
        state_reason: null,
        title,
        body: null,
        labels: ['Todo'],
        assignees: [],
        user: ADA,
        created_at: now(),
        updated_at: now(),
        isPull: false,
      });
      if (blockedBy !== undefined) {
        const known = blockers.get(repository) ?? new Map<number, number[]>();
        blockers.set(repository, known.set(number, [numberOf(blockedBy)]));
      }
      return { id: `acme/shop#${number}`, identifier: `SHOP-${number}` };
    },
    edit(id) {
      const issue = repository.issues.find(({ number }) => number === numberOf(id));
      Object.assign(issue ?? {}, { body: 'And more', updated_at: now() });
    },
    finish(id) {
      const issue = repository.issues.find(({ number }) => number === numberOf(id));
      Object.assign(issue ?? {}, {
        state: 'closed',
        state_reason: 'completed',
        updated_at: now(),
      });
    },
    deleteIssue(id) {
      const at = repository.issues.findIndex(({ number }) => number === numberOf(id));
      repository.issues.splice(at, 1);
    },
    say(issueId, body) {
      const in_ = issueId.startsWith('acme/docs') ? other : repository;
      in_.comments.push({
        id: fake.nextId(),
        issue: numberOf(issueId),
        body,
        user: ADA,
        created_at: now(),
      });
    },
    async restart() {
      await world.restart(variables);
      await connect();
    },
    async close() {
      await world.close();
      await fake.close();
    },
  };
}
