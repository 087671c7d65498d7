import { whichRun } from '@switchyard/shared/checks/which-run';
import { formatDuration } from '../../../format/time.ts';
import { textOf } from '../../../format/text-of.ts';

/** A run of a declared check in the log. */
export type CheckItem = {
  type: 'check';
  name: string;
  status: string;
  /** The check's result on one line. */
  title: string;
  output: string;
};

/** Texts for the end of a check; the state of a newer service is shown unchanged. */
const ENDED: Record<string, string> = {
  passed: 'passed',
  failed: 'failed',
  timed_out: 'timed out',
  not_run: 'was not run',
};

/** Parses an event of the kind `check` leniently, like everything that comes through a runner. */
export function readCheckItem(payload: Record<string, unknown>): CheckItem {
  const name = textOf(payload['name']);
  const which = whichRun(Number(payload['run'] ?? 1));
  const again = which && `, ${which}`;
  if (payload['state'] !== 'ended') {
    const title = `Check ${name}${again}`;
    return { type: 'check', name, status: 'running', title, output: '' };
  }
  const status = textOf(payload['result']);
  const code = payload['exitCode'];
  const exit = typeof code === 'number' && code !== 0 ? ` (exit code ${code})` : '';
  const took =
    status === 'not_run' ? '' : ` after ${formatDuration(Number(payload['durationMs']))}`;
  const files = Array.isArray(payload['changedFiles']) ? payload['changedFiles'].map(textOf) : [];
  const changed = files.length === 0 ? '' : `Changed, and put back: ${files.join(', ')}`;
  const message = textOf(payload['message']);
  return {
    type: 'check',
    name,
    status,
    title: `Check ${name} ${ENDED[status] ?? status}${exit}${took}${again}`,
    output: [message, textOf(payload['output']), changed].filter(Boolean).join('\n'),
  };
}
