import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreateLocalIssue, UpdateLocalIssue } from '@switchyard/shared/api/work/local-issue';
import type { ControlPlaneMessage, RunnerMessage } from '@switchyard/shared/protocol/messages';
import type { Caller } from '../../../control-plane/src/http/caller/caller.ts';
import { runOnce } from './run-once.ts';
import type { AttemptRow } from '../../../control-plane/src/db/schema/work/attempts.ts';
import type { IssueRow } from '../../../control-plane/src/db/schema/work/issues.ts';
import { attemptById } from '../../../control-plane/src/attempts/queries.ts';
import type { Deps } from '../../../control-plane/src/deps.ts';
import { issueByIdentifier } from '../../../control-plane/src/issues/queries.ts';
import {
  beginWithClock,
  followClock,
} from '../../../control-plane/src/coordinator/follow-clock.ts';
import { createLeadership } from '../../../control-plane/src/jobs/leadership/create-leadership.ts';
import { createJoinToken } from '../../../control-plane/src/runners/admin/create-join-token.ts';
import { joinRunner } from '../../../control-plane/src/runners/admin/join-runner.ts';
import { createLocalIssue } from '../../../control-plane/src/integrations/local/tracker/create-local-issue.ts';
import { updateLocalIssue } from '../../../control-plane/src/integrations/local/tracker/update-local-issue.ts';
import { createFailingDatabase, type Fault } from './failing-database.ts';
import { createRunnerIdentity, type RunnerIdentity } from './runner-identity.ts';
import { type Core, startCore, type TestClock } from './start-core.ts';

export const PERSON: Caller = { actor: 'ada', source: 'API', requestId: 'req-1', path: '/test' };

/** One connection of one runner, over whichever transport. */
export type RunnerPeer = {
  /** Sends one frame and gives the answers to it. */
  exchange(messages: RunnerMessage[]): Promise<ControlPlaneMessage[]>;
};

export type OpenPeer = (
  core: Core,
  runner: { runnerId: string; identity: RunnerIdentity },
) => RunnerPeer;

/** A core with a tracker, runners and a clock, as a contract sees it. */
export type CoreWorld = {
  readonly core: Core;
  readonly deps: Deps;
  readonly clock: TestClock;
  /** One run of the coordinator. */
  tick(): Promise<void>;
  /** Lets time pass, with a run of the coordinator at its end. */
  pass(ms: number): Promise<void>;
  /** Another start over the same rows, perhaps with other settings; sockets are gone. */
  restart(variables?: Record<string, string>): Promise<void>;
  failDatabase(fault: Fault): void;
  join(labels?: string[]): Promise<{ runnerId: string; identity: RunnerIdentity }>;
  revoke(runnerId: string): Promise<void>;
  openPeer(runner: { runnerId: string; identity: RunnerIdentity }): RunnerPeer;
  createIssue(input?: Partial<CreateLocalIssue>): Promise<string>;
  editIssue(identifier: string, changes: UpdateLocalIssue): Promise<void>;
  issue(identifier: string): Promise<IssueRow>;
  attempt(attemptId: string): Promise<AttemptRow>;
  close(): Promise<void>;
};

/** Builds a world on a database file of its own; `variables` are configuration. */
export async function createCoreWorld(
  openPeer: OpenPeer,
  variables: Record<string, string> = {},
): Promise<CoreWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-core-'));
  const path = join(folder, 'switchyard.db');
  const clock = createTestClock();
  const faults = createFailingDatabase();
  let core = await startCore({ path, clock, variables, wrap: faults.wrap });
  const trackerDeps = () => ({ ...core.deps, settings: core.localTracker });
  const lead = () => {
    const holder = core.deps.service.instanceId;
    return createLeadership(core.deps, { holder, holderGone: () => true })();
  };
  const tick = async () => {
    await lead();
    await followClock(core.deps);
    await runOnce(core.deps);
  };
  return {
    get core() {
      return core;
    },
    get deps() {
      return core.deps;
    },
    clock,
    tick,
    async pass(ms) {
      clock.advance(ms);
      await tick();
    },
    async restart(others = variables) {
      await core.stop();
      core = await startCore({ path, clock, variables: others, wrap: faults.wrap });
      await lead();
      await beginWithClock(core.deps);
    },
    failDatabase: faults.fail,
    async join(labels = []) {
      const { token } = await createJoinToken(core.deps, {
        labels: [],
        expiresInMs: 60_000,
        caller: PERSON,
      });
      const identity = await createRunnerIdentity();
      const request = identity.joinRequest(labels);
      const caller = { requestId: 'req-join', path: '/join' };
      const { runnerId } = await joinRunner(core.deps, { token, request, caller });
      return { runnerId, identity };
    },
    async revoke(runnerId) {
      const headers = { Authorization: 'Bearer write-secret' };
      const path = `/api/v1/runners/${runnerId}`;
      const { status } = await core.app.request(path, { method: 'DELETE', headers });
      if (status !== 204) throw new Error(`${runnerId} was not revoked: ${status}`);
    },
    openPeer: (runner) => openPeer(core, runner),
    async createIssue(input = {}) {
      const issue = await createLocalIssue(trackerDeps(), PERSON, {
        title: 'Fix the build',
        ...input,
      });
      return issue.identifier;
    },
    async editIssue(identifier, changes) {
      await updateLocalIssue(trackerDeps(), PERSON, { identifier, changes });
    },
    async issue(identifier) {
      const row = await issueByIdentifier(core.deps.db, identifier);
      if (row === null) throw new Error(`no issue ${identifier}`);
      return row;
    },
    async attempt(attemptId) {
      const row = await attemptById(core.deps.db, attemptId);
      if (row === null) throw new Error(`no attempt ${attemptId}`);
      return row;
    },
    async close() {
      faults.fail('none');
      await core.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function createTestClock(): TestClock {
  let nowMs = Date.parse('2026-01-02T03:04:05.000Z');
  let monotonicMs = 1_000;
  return {
    nowMs: () => nowMs,
    monotonicMs: () => monotonicMs,
    advance(ms) {
      nowMs += ms;
      monotonicMs += ms;
    },
    set: (byMs) => void (nowMs += byMs),
  };
}
