import { expect, it } from 'vitest';
import { runChaos } from '../support/chaos/run-chaos.ts';

/** Has a held network, a runner that stays away beyond its lease, and both halves killed. */
const SEED = 339;
/** About a minute, more on a machine that does much else. */
const TIMEOUT_MS = 300_000;

it('loses nothing and runs nothing twice', { timeout: TIMEOUT_MS }, async () => {
  const said: string[] = [];
  const { result, problems } = await runChaos({
    kills: 6,
    attempts: 6,
    seed: SEED,
    sandbox: 'process',
    say: (line) => void said.push(line),
  });
  expect(problems, said.join('\n')).toEqual([]);
  expect(result).toMatchObject({
    kills: 6,
    attempts: 6,
    unfinished: 0,
    lostAcknowledgedEvents: 0,
    overlaps: 0,
    orphans: 0,
    lostCommits: 0,
  });
});
