import type { AttemptCheck } from '@switchyard/shared/checks/attempt-check';
import { isFailing } from '@switchyard/shared/checks/is-failing';
import { atWhichRun } from '@switchyard/shared/checks/which-run';
import { codeFence, codeSpan } from '@switchyard/shared/text/code-fence';
import { cutText, textTail } from '@switchyard/shared/text/cut-text';
import { inertText } from '@switchyard/shared/text/inert-text';
import { plainText } from '@switchyard/shared/text/plain-text';
import { durationText } from '@switchyard/shared/text/units/duration-text';
import { namesText } from '@switchyard/shared/text/units/names-text';
import { inertSpan } from './inert-span.ts';

const MAX_NAME_CHARS = 64;
const MAX_COMMAND_CHARS = 120;
const MAX_MESSAGE_CHARS = 120;
const MAX_FILES_SHOWN = 3;
const MAX_FILE_CHARS = 60;
const MAX_OUTPUT_CHARS = 1_000;
/**
 * Characters for the outputs of all checks together; beyond it a check is listed without output.
 */
const MAX_OUTPUTS_CHARS = 4_000;
const SHORT_SHA_CHARS = 7;

/**
 * The section of a pull request about an attempt's declared checks: the results on `commitSha`, and
 * the output of failed ones. Names, commands and outputs are inert.
 */
export function checksText(checks: readonly AttemptCheck[], commitSha: string): string {
  const ran = checks.some((check) => check.commitSha === commitSha);
  const by = `Run by the runner, not by the agent, on ${shortSha(commitSha)}.`;
  let leftChars = MAX_OUTPUTS_CHARS;
  const lines = checks.map((check) => {
    const line = `- ${checkLine(check, commitSha)}`;
    const output = isFailing(check.state)
      ? outputOf(check, Math.min(leftChars, MAX_OUTPUT_CHARS))
      : '';
    leftChars -= output.length;
    return output === '' ? line : `${line}\n\n${indented(codeFence(output))}\n`;
  });
  return ['## Checks', ...(ran ? [by] : []), lines.join('\n').trimEnd()].join('\n\n');
}

/** The note at the top of a draft about failed checks; null when none failed. */
export function failedChecksNote(checks: readonly AttemptCheck[]): string | null {
  const names = checks
    .filter(({ state }) => isFailing(state))
    .map(({ name }) => inertSpan(name, MAX_NAME_CHARS));
  if (names.length === 0) return null;
  const what =
    names.length === 1 ? 'A check of its repository fails' : 'Checks of its repository fail';
  return `> **${what}**: ${names.join(', ')}.`;
}

/** One line that counts the results of checks, such as `Checks: 3 passed.` */
export function checksLine(checks: readonly AttemptCheck[]): string {
  const failed = checks.filter(({ state }) => isFailing(state)).map(failedText);
  const passing = checks.filter(({ state }) => state === 'passed');
  const passed = passing.length;
  const again = passing.filter(({ runs }) => runs > 1).length;
  const others = checks.length - failed.length - passed;
  const counts = [
    ...(passed === 0
      ? []
      : [`${passed} passed${again === 0 ? '' : ` (${again} not at the first run)`}`]),
    ...(others === 0 ? [] : [`${others} not run`]),
  ];
  return `Checks: ${[...failed, ...counts].join(', ')}.`;
}

function failedText(check: AttemptCheck): string {
  const { exitCode, state } = check;
  const how = state === 'timed_out' ? 'timed out' : 'failed';
  const code = state === 'failed' && exitCode !== null ? ` (exit code ${exitCode})` : '';
  return `${inertSpan(check.name, MAX_NAME_CHARS)} ${how}${code}`;
}

function checkLine(check: AttemptCheck, commitSha: string): string {
  const { command, message, changedFiles } = check;
  const isOther = check.commitSha !== null && check.commitSha !== commitSha;
  const notes = [
    ...(isOther && check.commitSha !== null ? [`on ${shortSha(check.commitSha)}`] : []),
    ...(changedFiles.length === 0
      ? []
      : [`it changed files, which were put back: ${files(check)}`]),
    ...(message === null || check.state === 'passed'
      ? []
      : [inertSpan(message, MAX_MESSAGE_CHARS)]),
  ];
  const name = inertSpan(check.name, MAX_NAME_CHARS);
  const what = `${name} (${inertSpan(command, MAX_COMMAND_CHARS)})`;
  return `${what}: ${[resultText(check), ...notes].join('; ')}`;
}

function resultText({ state, exitCode, durationMs, runs }: AttemptCheck): string {
  const took = durationMs === null ? '' : durationText(durationMs);
  switch (state) {
    case 'passed':
      return `✓ passed${atWhichRun(runs)}${took && ` in ${took}`}`;
    case 'failed':
      return `✗ failed${exitCode === null ? '' : ` with exit code ${exitCode}`}${took && ` in ${took}`}`;
    case 'timed_out':
      return `✗ timed out${took && ` after ${took}`}`;
    default:
      return '… not run';
  }
}

function files({ changedFiles }: AttemptCheck): string {
  const shown = changedFiles
    .slice(0, MAX_FILES_SHOWN)
    .map((file) => inertSpan(file, MAX_FILE_CHARS));
  return namesText(shown, changedFiles.length);
}

function outputOf({ output }: AttemptCheck, maxChars: number): string {
  const text = plainText(output ?? '').trim();
  return maxChars < MAX_COMMAND_CHARS ? '' : textTail(inertText(text), maxChars, '…\n');
}

function shortSha(commitSha: string): string {
  return codeSpan(cutText(commitSha, SHORT_SHA_CHARS));
}

/** Indents a text so that it belongs to its list item. */
function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
