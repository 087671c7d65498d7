import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installEdges } from '../support/simulation/install-edges.ts';

const { values } = parseArgs({
  options: { seeds: { type: 'string' }, seed: { type: 'string' }, verbose: { type: 'boolean' } },
});
installEdges([]);
const { createTemplate } = await import('../support/simulation/template.ts');
const { runSeed } = await import('../support/simulation/run-seed.ts');
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'switchyard-simulation-'));
const template = await createTemplate(folder);
const first = Number(values.seed ?? 1);
const count = Number(values.seeds ?? 1);
for (let seed = first; seed < first + count; seed += 1) {
  const c0 = process.cpuUsage();
  const result = await runSeed({ seed, folder, template, tampering: {}, echo: values.verbose === true });
  console.log(seed, result.hash, Math.round(process.cpuUsage(c0).user/1000), 'ms cpu', result.virtualMs / 1000, JSON.stringify(result.counts), result.violation?.invariant, result.violation?.detail);
  if (result.violation && count === 1) console.log(result.trace.join('\n'));
}
rmSync(folder, { recursive: true });
