import { expect, it } from 'vitest';
import { runChaos } from '../support/chaos/run-chaos.ts';

const SEED = 11;

it('loses nothing and runs nothing twice, whatever is killed or cut off', async () => {
  const said: string[] = [];
  const { result, problems } = await runChaos({
    ...{ kills: 6, attempts: 6, seed: SEED, sandbox: 'process' },
    say: (line) => void said.push(line),
  });
  expect(problems, said.join('\n')).toEqual([]);
  expect(result).toMatchObject({
    ...{ kills: 6, attempts: 6, unfinished: 0 },
    ...{ lostAcknowledgedEvents: 0, overlaps: 0, orphans: 0, lostCommits: 0 },
  });
});
