import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../command/run-command.ts';
import { WrongUse } from '../command/wrong-use.ts';
import { requiresAllParts } from '../system-part.ts';
import { tallyLine, type Verdict } from './judge-run.ts';
import { RunInterruptedError, runTests } from './run-tests.ts';
import { SUITES } from './suites.ts';
import { readTouchTable, suitesForChange } from './suites-for-change.ts';

// `npm run test:all`: every test, one suite after the other.
const root = join(import.meta.dirname, '../../..');
const names = SUITES.map(({ name }) => name);
const HELP = `Every test there is, one suite after the other; goes on after a failure.

  npm run test:all [-- --suite NAME ...] [-- --from NAME] [-- --for REV] [-- --list]

  --suite NAME  this suite; may be given more than once
  --from NAME   this suite and those after it: goes on with a run that was ended
  --for REV     the suites that the changes since REV can break, by the table in docs/development.md
  --list        prints the names of the chosen suites and runs none
  --help        this text

Suites, in their order: ${names.join(', ')}.

A file that fails is run once more, alone. What then passes is named "unsteady" and counts as passed;
more than three such files fail a suite. At the end stands a table of all suites that ran.`;

const NAME_WIDTH = 14;
const NUMBER_WIDTH = 9;

type Row = Verdict & { suite: string; seconds: number };

function options() {
  const { values } = parseArgs({
    options: {
      suite: { type: 'string', multiple: true },
      from: { type: 'string' },
      for: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
}

function chosenSuites({ suite, from, for: revision }: ReturnType<typeof options>): string[] {
  for (const name of [...(suite ?? []), ...(from === undefined ? [] : [from])]) {
    if (!names.includes(name)) {
      throw new WrongUse(`no suite ${name}; there are ${names.join(', ')}`);
    }
  }
  const possible = revision === undefined ? names : suitesSince(revision);
  const later = names.slice(from === undefined ? 0 : names.indexOf(from));
  return later.filter((name) => possible.includes(name) && (suite?.includes(name) ?? true));
}

/** What is not committed yet is changed too. */
function suitesSince(revision: string): string[] {
  if (revision.startsWith('-')) throw new WrongUse(`${revision} is no revision`);
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const changed = git('diff', '--name-only', '--no-renames', '-z', revision, '--');
  const added = git('ls-files', '--others', '--exclude-standard', '-z');
  const files = `${changed}${added}`.split('\0').filter((file) => file !== '');
  const page = readFileSync(join(root, 'docs/development.md'), 'utf8');
  return suitesForChange(files, readTouchTable(page, SUITES), SUITES);
}

function tableOf(rows: readonly Row[]): string {
  const line = (name: string, ...cells: (string | number)[]) =>
    name.padEnd(NAME_WIDTH) + cells.map((cell) => String(cell).padStart(NUMBER_WIDTH)).join('');
  return [
    line('suite', 'passed', 'failed', 'skipped', 'unsteady', 'seconds'),
    ...rows.map(({ suite, passed, failed, skipped, unsteady, seconds }) =>
      line(suite, passed, failed, skipped, unsteady.length, Math.round(seconds)),
    ),
  ].join('\n');
}

function sum(rows: readonly Row[]) {
  const total = (of: (row: Row) => number) => rows.reduce((all, row) => all + of(row), 0);
  return {
    passed: total(({ passed }) => passed),
    failed: total(({ failed }) => failed),
    skipped: total(({ skipped }) => skipped),
  };
}

async function main(): Promise<boolean> {
  const values = options();
  if (values.help) {
    console.log(HELP);
    return true;
  }
  const chosen = chosenSuites(values);
  if (values.list) {
    for (const name of chosen) console.log(name);
    return true;
  }
  const rows: Row[] = [];
  const requiresAll = requiresAllParts();
  try {
    for (const suite of chosen) {
      console.log(`\n${suite}: suite ${rows.length + 1} of ${chosen.length}`);
      const startedMs = performance.now();
      const args = ['--project', suite, '--passWithNoTests'];
      const verdict = await runTests({ root, args, isGate: false, repeats: true, requiresAll });
      rows.push({ suite, seconds: (performance.now() - startedMs) / 1_000, ...verdict });
      for (const line of verdict.lines) console.log(line);
    }
  } catch (error) {
    if (!(error instanceof RunInterruptedError)) throw error;
    const next = chosen[rows.length];
    console.log(`\nended in ${next}; npm run test:all -- --from ${next} goes on there`);
  }
  console.log(`\n${tableOf(rows)}`);
  for (const { suite, unsteady } of rows) {
    for (const { file } of unsteady) console.log(`unsteady: ${suite}: ${file}`);
  }
  console.log(tallyLine(sum(rows)));
  return rows.length === chosen.length && rows.every(({ ok }) => ok);
}

await runCommand('test:all', main);
