import { ControlPlaneMessage, RunnerMessage } from '@switchyard/shared/protocol/messages';

/** Names one lease: an attempt under an epoch. */
export type LeaseName = `${string} ${number}`;

export type LeaseRecord = {
  attemptId: string;
  epoch: number;
  /** What the runner said, as JSON text of kind and payload, by seq. */
  said: Map<number, Set<string>>;
  /** Events up to here were acknowledged. */
  ackedSeq: number;
  /** Commits that may be pushed under this lease, by branch. */
  permitted: { branch: string; commitSha: string }[];
};

type Asked = { lease: LeaseRecord; branch: string; commitSha: string };

/** What passed between runners and control plane, seen from the wire alone. */
export class WireRecord {
  readonly leases = new Map<LeaseName, LeaseRecord>();
  /** Commits that the control plane itself has asked a runner to push, by branch. */
  readonly ordered: { branch: string; commitSha: string }[] = [];
  readonly #asked = new Map<string, Asked>();

  /** A text frame on its way from a runner, as it is handed to the control plane. */
  fromRunner(text: string): void {
    for (const raw of messagesOf(text)) {
      const parsed = RunnerMessage.safeParse(raw);
      if (!parsed.success) continue;
      const message = parsed.data;
      if (message.type === 'events') {
        const lease = this.#lease(message.attemptId, message.epoch);
        for (const item of message.items) {
          const variants = lease.said.get(item.seq) ?? new Set();
          lease.said.set(item.seq, variants.add(contentOf(item.kind, item.payload)));
        }
      } else if (message.type === 'call' && message.method === 'push.permit') {
        const { attemptId, epoch, params, callId } = message;
        if (attemptId === undefined || epoch === undefined) continue;
        const { branch, commitSha } = params;
        const lease = this.#lease(attemptId, epoch);
        this.#asked.set(callId, { lease, branch: String(branch), commitSha: String(commitSha) });
      }
    }
  }

  /** A text frame from the control plane, as it arrives here: from now on it must be true. */
  fromPlane(text: string): void {
    for (const raw of messagesOf(text)) {
      const parsed = ControlPlaneMessage.safeParse(raw);
      if (!parsed.success) continue;
      const message = parsed.data;
      if (message.type === 'ack') {
        this.#acknowledged(message.attemptId, message.epoch, message.upto);
      } else if (message.type === 'welcome' || message.type === 'renewed') {
        for (const one of message.verdicts) {
          if (one.verdict === 'keep') this.#acknowledged(one.attemptId, one.epoch, one.ackedSeq);
        }
      } else if (message.type === 'result' && message.ok) {
        this.#answered(message.callId, message.value);
      } else if (message.type === 'call' && message.method === 'branch.publish') {
        const { branch, commitSha } = message.params;
        this.ordered.push({ branch: String(branch), commitSha: String(commitSha) });
      }
    }
  }

  #acknowledged(attemptId: string, epoch: number, upto: number): void {
    const lease = this.#lease(attemptId, epoch);
    lease.ackedSeq = Math.max(lease.ackedSeq, upto);
  }

  #answered(callId: string, value: unknown): void {
    const asked = this.#asked.get(callId);
    if (asked === undefined || typeof value !== 'object' || value === null) return;
    if (!('allowed' in value) || value.allowed !== true) return;
    asked.lease.permitted.push({ branch: asked.branch, commitSha: asked.commitSha });
  }

  #lease(attemptId: string, epoch: number): LeaseRecord {
    const name: LeaseName = `${attemptId} ${epoch}`;
    const known = this.leases.get(name);
    if (known !== undefined) return known;
    const made = { attemptId, epoch, said: new Map(), ackedSeq: 0, permitted: [] };
    this.leases.set(name, made);
    return made;
  }
}

/** The same text for the same content, whatever the order of keys. */
export function contentOf(kind: unknown, payload: unknown): string {
  return JSON.stringify([kind, sorted(payload)]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** Messages of a frame; none for the frames that only prove a socket. */
export function messagesOf(text: string): unknown[] {
  if (!text.startsWith('[')) return [];
  const parsed: unknown = JSON.parse(text);
  return Array.isArray(parsed) ? parsed : [];
}
