import {
  MAX_FRAME_BYTES,
  PING_MS,
  RENEW_MS,
  SUBPROTOCOL,
} from '@switchyard/shared/protocol/limits';
import type {
  ControlPlaneMessage,
  ControlPlaneMessageOf,
  HeldItem,
  RunnerMessage,
} from '@switchyard/shared/protocol/messages';
import WebSocket from 'ws';
import { createRunnerIdentity } from '../support/core/runner-identity.ts';
import type { ControlPlaneProcess } from './control-plane-process.ts';

const HANDSHAKE_TIMEOUT_MS = 30_000;
const WELCOME_TIMEOUT_MS = 60_000;

/** A lease that a runner of the bench was granted. */
export type BenchLease = { attemptId: string; epoch: number; atMs: number };
type Ack = ControlPlaneMessageOf<'ack'>;

/** A runner that takes every offer at once, keeps its lease and sends what it is told. */
export type BenchRunner = {
  leases: readonly BenchLease[];
  send(message: RunnerMessage): void;
  /** Bytes the socket has not taken yet. */
  unsentBytes(): number;
  onGranted(then: (lease: BenchLease) => void): void;
  onAck(then: (ack: Ack) => void): void;
  onFinished(then: (attemptId: string) => void): void;
  /** Forgets a lease once it is finished. */
  drop(attemptId: string): void;
  close(): void;
};

/** Joins with a one-time token, connects with a token signed by its own key and says hello. */
export async function connectBenchRunner(
  controlPlane: ControlPlaneProcess,
  { name, slots }: { name: string; slots: number },
): Promise<BenchRunner> {
  const identity = await createRunnerIdentity(name);
  const { token } = await controlPlane.post<{ token: string }>('/runners/tokens', {});
  const joined = await controlPlane.post<{ runnerId: string; audience: string }>(
    '/runners/join',
    identity.joinRequest(),
    token,
  );
  const jwt = await identity.accessToken({ ...joined, nowMs: Date.now() });
  const url = `${controlPlane.url.replace(/^http/, 'ws')}/api/v1/runners/connect`;
  const socket = new WebSocket(url, SUBPROTOCOL, {
    headers: { authorization: `Bearer ${jwt}` },
    maxPayload: MAX_FRAME_BYTES,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    perMessageDeflate: false,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return await speak(socket, { runnerId: joined.runnerId, slots });
}

async function speak(
  socket: WebSocket,
  { runnerId, slots }: { runnerId: string; slots: number },
): Promise<BenchRunner> {
  const leases: BenchLease[] = [];
  const heard = {
    granted: (_lease: BenchLease) => {},
    ack: (_ack: Ack) => {},
    finished: (_attemptId: string) => {},
    welcome: () => {},
  };
  const send = (message: RunnerMessage) => socket.send(JSON.stringify([message]));
  const handle = (message: ControlPlaneMessage) => {
    switch (message.type) {
      case 'welcome':
        return heard.welcome();
      case 'offer': {
        const { attemptId, epoch } = message;
        return send({ type: 'accept', attemptId, epoch, ref: attemptId });
      }
      case 'granted': {
        const { attemptId, epoch } = message;
        const lease = { attemptId, epoch, atMs: performance.now() };
        leases.push(lease);
        return heard.granted(lease);
      }
      case 'ack':
        return heard.ack(message);
      case 'finished':
        return heard.finished(message.attemptId);
      case 'call': {
        const error = { code: 'UNSUPPORTED', message: 'a runner of the bench answers no calls' };
        return send({ type: 'result', callId: message.callId, ok: false, error });
      }
      case 'renewed':
      case 'goaway':
        return;
      default:
        throw new Error(`a runner of the bench was told ${JSON.stringify(message)}`);
    }
  };
  socket.on('message', (data) => {
    const text = (data as Buffer).toString();
    if (text === 'pong') return;
    for (const message of JSON.parse(text) as ControlPlaneMessage[]) handle(message);
  });
  const pings = setInterval(() => socket.send('ping'), PING_MS);
  const renewals = setInterval(() => renew(leases, slots, send), RENEW_MS);
  socket.once('close', () => {
    clearInterval(pings);
    clearInterval(renewals);
  });
  const welcomed = new Promise<void>((resolve, reject) => {
    heard.welcome = resolve;
    setTimeout(() => reject(new Error('no welcome came')), WELCOME_TIMEOUT_MS).unref();
  });
  send(hello(runnerId, slots));
  await welcomed;
  return {
    leases,
    send,
    unsentBytes: () => socket.bufferedAmount,
    onGranted: (then) => void (heard.granted = then),
    onAck: (then) => void (heard.ack = then),
    onFinished: (then) => void (heard.finished = then),
    drop(attemptId) {
      const index = leases.findIndex((lease) => lease.attemptId === attemptId);
      if (index >= 0) leases.splice(index, 1);
    },
    close: () => socket.close(),
  };
}

/** As a real runner: one that holds nothing sends no renewal. */
function renew(
  leases: readonly BenchLease[],
  slots: number,
  send: (message: RunnerMessage) => void,
): void {
  if (leases.length === 0) return;
  const held: HeldItem[] = leases.map(({ attemptId, epoch }) => ({
    attemptId,
    epoch,
    phase: 'running',
    containerId: null,
    spooledSeq: 0,
    ackedSeq: 0,
  }));
  const free = Math.max(0, slots - held.length);
  send({ type: 'renew', ref: 'renew', held, slots: { total: slots, free } });
}

function hello(runnerId: string, slots: number): RunnerMessage {
  return {
    type: 'hello',
    protocol: { min: 1, max: 1 },
    runnerId,
    bootId: 'bench-boot',
    instanceId: runnerId,
    version: '0.0.0-bench',
    features: [],
    labels: [],
    slots: { total: slots, free: slots },
    isolation: 'process',
    warnings: [],
    draining: false,
    held: [],
  };
}
