import { expect, it } from 'vitest';
import { FakeClock } from './connection/testing/fake-clock.ts';
import { leaveRunner } from './leave-runner.ts';

function leaving(idle: boolean) {
  const clock = new FakeClock();
  const said: unknown[] = [];
  const note = (message: string, fields?: object) => void said.push({ message, ...fields });
  const log = { info: () => undefined, warn: () => undefined, error: note };
  let proxyStopped = false;
  const attempt = { attemptId: 'att_1', containerId: 'c1', ackedSeq: 3, spooledSeq: 3 };
  const parts = {
    host: { releaseAll: () => undefined, isIdle: () => idle, held: () => (idle ? [] : [attempt]) },
    session: { wake: () => undefined, isWelcomed: true },
    proxies: { stopProcess: async () => void (proxyStopped = true) },
    operator: { stop: async () => undefined },
  };
  const left = leaveRunner(parts, { clock, log, endAttempts: true });
  return { clock, said, left, proxyStopped: () => proxyStopped };
}

it('names attempts and containers that did not end in time', async () => {
  const { clock, said, left, proxyStopped } = leaving(false);
  await clock.advance(10_000);
  await left;
  expect(said).toEqual([
    {
      message: 'some attempts did not end in time; the next start of this runner removes them',
      attempts: 'att_1',
      containers: 'c1',
      proxy: 'left running for them',
    },
  ]);
  expect(proxyStopped()).toBe(false);
});

it('has nothing to name when everything ended', async () => {
  const { clock, said, left, proxyStopped } = leaving(true);
  await clock.advance(10_000);
  await left;
  expect(said).toEqual([]);
  expect(proxyStopped()).toBe(true);
});
