import type { AttemptCheck } from '@switchyard/shared/checks/attempt-check';
import { isFailing } from '@switchyard/shared/checks/is-failing';
import { atWhichRun } from '@switchyard/shared/checks/which-run';
import { durationText } from '@switchyard/shared/text/units/duration-text';
import { terminalText } from '../options/command-context.ts';
import { tableText } from './table-text.ts';

const SHOWN_LINES = 20;

type Outcome = {
  state: string;
  runs: number;
  exitCode: number | null;
  durationMs: number | null;
  message: string | null;
};

/**
 * A check's result in words: `passed (1.2 s)`, `failed: exit code 1 (1.2 s)`, `not run: no shell`.
 */
export function checkText({ state, runs, exitCode, durationMs, message }: Outcome): string {
  const why = [
    ...(exitCode === null || exitCode === 0 ? [] : [`exit code ${exitCode}`]),
    ...(message === null || message === '' ? [] : [message]),
  ];
  const flaky = state === 'passed' ? atWhichRun(runs) : '';
  const took = state === 'not_run' || durationMs === null ? '' : ` (${durationText(durationMs)})`;
  const facts = why.length === 0 ? '' : `: ${why.join(', ')}`;
  return `${state.replace('_', ' ')}${flaky}${facts}${took}`;
}

/** The checks of an attempt as a table, and the end of the output of those that did not pass. */
export function checksText(checks: readonly AttemptCheck[]): string {
  const rows = checks.map((check) => [
    check.name,
    stateText(check),
    check.exitCode,
    check.durationMs === null ? null : durationText(check.durationMs),
    check.message,
  ]);
  const outputs = checks.filter(({ state }) => isFailing(state));
  return [
    tableText(['CHECK', 'STATE', 'EXIT', 'TOOK', 'WHAT'], rows),
    ...outputs.map(outputText),
  ].join('\n');
}

function stateText({ state, runs }: AttemptCheck): string {
  return state === 'passed' ? `passed${atWhichRun(runs)}` : state.replace('_', ' ');
}

/** Output of a check, indented so that none of its lines is mistaken for one of the command. */
function outputText({ name, output }: AttemptCheck): string {
  const lines = terminalText(output ?? '')
    .trimEnd()
    .split('\n');
  const shown = lines.slice(-SHOWN_LINES).map((line) => `  ${line}`.trimEnd());
  const printed =
    shown.join('\n').trim() === '' ? '  nothing that is still there' : shown.join('\n');
  return `${terminalText(name)} printed at its end:\n${printed}\n`;
}
