import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallParams } from '@switchyard/shared/protocol/calls';
import type { EngineOperation, EngineOutcome } from '@switchyard/shared/protocol/engine-operations';
import { afterEach, beforeEach } from 'vitest';
import type { ModelProxy } from '../../attempt/attempt-deps.ts';
import { FakeClock } from '../../connection/testing/fake-clock.ts';
import { ProcessContainerEngine } from '../../container/process/process-engine.ts';
import type { AgentEngine } from '../../engine/agent-engine.ts';
import { LiveSessions } from '../../engine/live-sessions.ts';
import { EngineLauncher } from '../engine-launcher.ts';
import { Operator } from '../operator.ts';

/** Processes are found by it all over the machine: two files must not share one. */
const runnerId = `run_${randomUUID().slice(0, 8)}`;
/** An answer of an engine that is well is waited for this long. */
export const WAIT_MS = 20_000;
export const READ: EngineOperation = { op: 'account.read' };

type Request = CallParams<'engine.request'>;
type OperatorRig = ReturnType<typeof makeRig>;

/** What operators of one runner share, made anew for each test of a file. */
export function useOperators(): OperatorRig {
  const rig = {} as OperatorRig;
  beforeEach(async () => {
    Object.assign(rig, makeRig(await mkdtemp(join(tmpdir(), 'switchyard-operator-'))));
  });
  afterEach(async () => {
    await rig.stopAll();
    await rig.containers.close();
    await rm(rig.dataDir, { recursive: true, force: true, maxRetries: 3 });
  });
  return rig;
}

function makeRig(dataDir: string) {
  const containers = new ProcessContainerEngine({ registryFolder: join(dataDir, 'processes') });
  const clock = new FakeClock();
  const sessions = new LiveSessions();
  const operators: Operator[] = [];
  /** Grants that were not taken back, by attempt and epoch, with their keys. */
  const grants = new Map<string, string | null>();
  /** Where the engines of this rig ask for models. */
  const provider = { url: 'http://127.0.0.1:9/v1' };
  const proxy = fakeProxy(dataDir, grants, provider);
  const operatorOf = (engine: AgentEngine | null, startTimeoutMs = WAIT_MS): Operator => {
    const silent = () => undefined;
    const log = { info: silent, warn: silent, error: silent };
    const settings = { runnerId, bootId: 'boot', dataDir, image: 'none' };
    const operator = new Operator(
      {
        launcher: new EngineLauncher({ settings, containers, proxy, clock, log }),
        engines: { find: () => engine },
        sessions,
        lease: { isLive: () => true, ask: () => undefined },
        unseal: (sealed) => Promise.resolve({ providerApiKey: sealed }),
        clock,
      },
      { startTimeoutMs },
    );
    operators.push(operator);
    return operator;
  };
  return {
    dataDir,
    containers,
    clock,
    sessions,
    grants,
    provider,
    operatorOf,
    stopAll: async () => {
      for (const operator of operators) await operator.stop();
    },
    running: async () =>
      (await containers.list(runnerId)).filter(({ owner }) =>
        /^(operator|engine-test)/.test(owner.attemptId),
      ),
  };
}

function fakeProxy(
  dataDir: string,
  grants: Map<string, string | null>,
  provider: { url: string },
): ModelProxy {
  return {
    async grant({ ref, apiKey }) {
      const socketFolder = join(dataDir, 'access');
      await mkdir(socketFolder, { recursive: true });
      await writeFile(join(socketFolder, 'deadline'), '1 600000\n');
      grants.set(`${ref.attemptId}@${ref.epoch}`, apiKey);
      const access = { socketFolder, hostPort: 9 };
      return { token: 'token', tokenHash: 'hash', access, baseUrl: provider.url };
    },
    adopt: () => Promise.resolve(),
    revoke: (ref) => Promise.resolve(void grants.delete(`${ref.attemptId}@${ref.epoch}`)),
  };
}

/** A question that nobody gives up. */
export function ask(
  operator: Operator,
  operation: EngineOperation = READ,
  changes: Partial<Request> = {},
): Promise<EngineOutcome> {
  const provider = { name: 'p', baseUrl: 'http://127.0.0.1:9/v1', wireApi: 'responses' as const };
  const engine = { model: 'scripted-model', provider };
  const request: Request = { operation, engine, requestTimeoutMs: WAIT_MS, ...changes };
  return operator.answer(request, new AbortController().signal);
}

/** Which process answered. */
export const pidOf = (outcome: EngineOutcome): unknown =>
  outcome.outcome === 'answered' ? outcome.result['pid'] : outcome;
