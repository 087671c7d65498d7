import { messageOf } from '@switchyard/shared/message-of';
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism, freemem } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';

// `npm run verify`: every check that a change must pass, quickest first and side by side where there is
// room, then the tests. All of them run, so that one call shows everything; the exit code is 1 when any
// failed.
type Step = { name: string; commands: string[][] };

const root = join(import.meta.dirname, '../../..');
const stepTimeoutMs = 20 * 60_000;
const roomForTwoBytes = 5_000_000_000;

function typeChecks(): string[][] {
  const configs = globSync('**/tsconfig.json', {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist|\.toolchain)(\/|$)/.test(path),
  });
  return configs.toSorted().map((config) => ['node_modules/typescript/bin/tsc', '-p', config]);
}

const steps: Step[] = [
  { name: 'conflicts', commands: [['test/support/house/refuse-conflicts.ts']] },
  { name: 'format', commands: [['node_modules/oxfmt/bin/oxfmt', '--check', '.']] },
  { name: 'lint', commands: [['node_modules/oxlint/bin/oxlint', '.']] },
  { name: 'house', commands: [['test/support/house/print-figures.ts']] },
  { name: 'types', commands: typeChecks() },
  { name: 'unused', commands: [['node_modules/knip/bin/knip.js', '--no-progress']] },
  { name: 'tests', commands: [['test/support/suites/test-command.ts']] },
];

/** The type checker takes up to 2 GB and a good half of two cores: two of them where there is room. */
function sideBySide(): number {
  return availableParallelism() > 1 && freemem() > roomForTwoBytes ? 2 : 1;
}

/** Runs one script under this Node with its output as it comes; false when it failed. */
function run(command: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const [script = '', ...rest] = command;
    const child = spawn(process.execPath, [join(root, script), ...rest], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: stepTimeoutMs,
    });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code === 0));
  });
}

/** Runs steps side by side, as many commands at once as there is room for; answers those that failed. */
async function runSteps(chosen: readonly Step[]): Promise<string[]> {
  const startedAtMs = performance.now();
  const waiting = chosen.flatMap((step) => step.commands.map((command) => ({ step, command })));
  const left = new Map(chosen.map((step) => [step, step.commands.length]));
  const failed = new Set<string>();
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { step, command } = next;
      if (!(await run(command))) {
        const [script = '', ...rest] = command;
        console.error(`verify: failed: ${[basename(script), ...rest].join(' ')}`);
        failed.add(step.name);
      }
      left.set(step, (left.get(step) ?? 0) - 1);
      if (left.get(step) !== 0) continue;
      const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
      console.error(
        `verify: ${step.name} ${failed.has(step.name) ? 'FAILED' : 'ok'} (after ${seconds} s)`,
      );
    }
  };
  await Promise.all(Array.from({ length: sideBySide() }, work));
  return [...failed];
}

const USAGE = `Every check that a change must pass, quickest first.

  npm run verify [-- --only STEP ...] [-- --no-tests]

  --only STEP   only this step: ${steps.map(({ name }) => name).join(', ')}
  --no-tests    every step but the tests
  --help        this text

The exit code is 0 when all passed, 1 when a step failed, 2 for an argument that is not known.`;

function parsedArguments() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        'no-tests': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    console.error(`verify: ${messageOf(error)}`);
    return process.exit(2);
  }
}

function chosenSteps(): Step[] {
  const values = parsedArguments();
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const { only } = values;
  const unknown = only?.find((name) => !steps.some((step) => step.name === name));
  if (unknown !== undefined) {
    console.error(`verify: no step ${unknown}; there are ${steps.map((s) => s.name).join(', ')}`);
    process.exit(2);
  }
  return steps.filter(
    (step) => (only?.includes(step.name) ?? true) && !(values['no-tests'] && step.name === 'tests'),
  );
}

const chosen = chosenSteps();
const failed = await runSteps(chosen.filter(({ name }) => name !== 'tests'));
failed.push(...(await runSteps(chosen.filter(({ name }) => name === 'tests'))));
if (failed.length > 0) console.error(`verify: failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
