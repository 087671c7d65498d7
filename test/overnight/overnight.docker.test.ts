import { expect, it } from 'vitest';
import { FEW, KINDS } from '../support/overnight/kinds.ts';
import { runOvernight } from '../support/overnight/run-overnight.ts';

const SEED = 27;
const TIMEOUT_MS = 600_000;

it('ends every kind of misbehaving agent in the right way', { timeout: TIMEOUT_MS }, async () => {
  const said: string[] = [];
  const { result, problems } = await runOvernight({
    kinds: KINDS.filter(({ name }) => FEW.includes(name)),
    seed: SEED,
    faults: 1,
    sandbox: 'docker',
    slots: 2,
    say: (line) => void said.push(line),
  });
  expect(problems, said.join('\n')).toEqual([]);
  expect(result).toMatchObject({ kinds: FEW.length, right: FEW.length, leftRunning: 0 });
});
