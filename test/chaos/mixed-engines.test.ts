import { expect, it } from 'vitest';
import { CHAOS_ENGINES } from '../support/chaos/chaos-accounts.ts';
import { runChaos } from '../support/chaos/run-chaos.ts';
import { enginePartOf } from '../support/engines/engine-part-of.ts';

/** Kills runner, control plane and the other runner, and holds a network. */
const SEED = 6;
/** Those beside the default one are installed apart. */
const hasAll = CHAOS_ENGINES.slice(1).every((name) => enginePartOf(name).available);
/** About a minute, more on a machine that does much else. */
const TIMEOUT_MS = 300_000;

it.runIf(hasAll)(
  'loses nothing of agents of several engines, each on its own account',
  { timeout: TIMEOUT_MS },
  async () => {
    const said: string[] = [];
    const { result, problems } = await runChaos({
      kills: 4,
      attempts: 6,
      seed: SEED,
      sandbox: 'process',
      engines: CHAOS_ENGINES,
      say: (line) => void said.push(line),
    });
    expect(problems, said.join('\n')).toEqual([]);
    expect(result).toMatchObject({
      kills: 4,
      attempts: 6,
      unfinished: 0,
      strays: 0,
      lostAcknowledgedEvents: 0,
      overlaps: 0,
      orphans: 0,
      lostCommits: 0,
    });
  },
);
