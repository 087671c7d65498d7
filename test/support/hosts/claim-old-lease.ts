import type {
  ControlPlaneMessage,
  RunnerMessage,
  Verdict,
} from '@switchyard/shared/protocol/messages';
import { loadIdentity } from '../../../runner/src/identity.ts';
import { mintAccessToken } from '../../../runner/src/mint-access-token.ts';
import type { RunnerProcess } from '../chaos/runner-process.ts';
import type { ServiceClient } from '../e2e/service-client.ts';

type Lease = { attemptId: string; epoch: number };

const FAR_SEQ = 900;

/**
 * Speaks as a runner that still believes in a lease: says hello with it and sends an event under it.
 * Gives what the control plane thinks of either. The runner's own process must not run.
 */
export async function claimOldLease(
  client: ServiceClient,
  runner: RunnerProcess,
  lease: Lease,
): Promise<{ verdicts: Verdict[]; answer: ControlPlaneMessage[] }> {
  const identity = await loadIdentity(runner.dataDir);
  if (identity === null) throw new Error(`${runner.name} has no identity`);
  const authorization = `Bearer ${await mintAccessToken(identity, Date.now())}`;
  const exchange = async (body: { session?: number; messages: RunnerMessage[] }) => {
    const url = `${client.url}/api/v1/runners/sync`;
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return (JSON.parse(text) as { messages: ControlPlaneMessage[] }).messages;
  };
  const [welcome] = await exchange({ messages: [helloWith(runner.runnerId, lease)] });
  if (welcome?.type !== 'welcome') throw new Error(`no welcome: ${JSON.stringify(welcome)}`);
  const { session, verdicts } = welcome;
  return { verdicts, answer: await exchange({ session, messages: [eventOf(lease)] }) };
}

function helloWith(runnerId: string, lease: Lease): RunnerMessage {
  const held = { phase: 'running', containerId: null, spooledSeq: FAR_SEQ, ackedSeq: 0 } as const;
  return {
    type: 'hello',
    protocol: { min: 1, max: 1 },
    runnerId,
    version: '0.0.0-test',
    bootId: 'an older boot',
    instanceId: 'an older process',
    features: [],
    labels: [],
    slots: { total: 1, free: 0 },
    isolation: 'process',
    warnings: [],
    draining: false,
    held: [{ ...lease, ...held }],
  };
}

function eventOf(lease: Lease): RunnerMessage {
  const payload = { source: 'runner', text: 'from the past' } as const;
  const item = { seq: FAR_SEQ, atMs: Date.now(), kind: 'log', payload } as const;
  return { type: 'events', ...lease, from: FAR_SEQ, items: [item] };
}
