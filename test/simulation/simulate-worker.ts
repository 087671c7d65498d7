import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { mutationNamed } from '../support/simulation/mutations.ts';
import { runSeed } from '../support/simulation/run-seed.ts';
import { createTemplate } from '../support/simulation/template.ts';

const Job = z.object({
  seeds: z.array(z.number().int()),
  mutation: z.string().nullable(),
  /** The mutation's scenario without the mutation. */
  ruleInPlace: z.boolean(),
  /** Nothing more is run after the first violation. */
  stopAtViolation: z.boolean(),
  echo: z.boolean(),
  folder: z.string(),
});

const job = Job.parse(JSON.parse(process.argv[2] ?? ''));
const mutation = job.mutation === null ? null : mutationNamed(job.mutation);
const taken = job.ruleInPlace ? null : mutation;

const folder = mkdtempSync(join(job.folder, 'switchyard-simulation-'));
const removeFolder = () => rmSync(folder, { recursive: true, force: true });
process.on('SIGTERM', () => {
  removeFolder();
  process.exit(143);
});
// Whoever wanted the results is gone.
process.stdout.on('error', () => {
  removeFolder();
  process.exit(1);
});
try {
  const template = await createTemplate(folder);
  for (const seed of job.seeds) {
    const tampering = taken?.tamper?.() ?? {};
    // Where a rule is at stake, there are plans and sub-issues only if it is a rule of them.
    const scenario =
      mutation === null ? {} : { plans: false, trees: false, merges: null, ...mutation.scenario };
    const result = await runSeed({ seed, folder, template, tampering, scenario, echo: job.echo });
    // A statement that was renamed or rewritten since: the rule was never out.
    if (tampering.rewrite !== undefined && (result.counts['tampered'] ?? 0) === 0)
      throw new Error(`seed ${seed} has no statement that ${job.mutation ?? ''} changes`);
    process.stdout.write(`${JSON.stringify({ result })}\n`);
    if (job.stopAtViolation && result.violation !== null) break;
  }
} finally {
  removeFolder();
}
