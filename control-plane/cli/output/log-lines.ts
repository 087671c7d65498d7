import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { withoutStatusLine } from '@switchyard/shared/engine/status-of-line';
import { actText, type Reader } from '@switchyard/shared/reasons/act-of-person';
import { asReasonCode } from '@switchyard/shared/reasons/explain-reason';
import { plainLine } from '@switchyard/shared/text/plain-text';
import { z } from 'zod';
import { namesText } from '@switchyard/shared/text/units/names-text';
import { checkText } from './checks-text.ts';
import { terminalText } from '../options/command-context.ts';

const MAX_LINES = 200;
const SHOWN_FILES = 5;
const Text = z.string().catch('');
const Changes = z.array(z.object({ path: Text, kind: Text })).catch([]);
const Item = z.object({
  type: Text,
  text: Text,
  command: Text,
  output: Text,
  exitCode: z.number().nullable().catch(null),
  status: Text,
  tool: Text,
  changes: Changes,
});
/** The fields of an attempt's event that a log shows; each may be missing. */
const Payload = z.object({
  state: Text,
  message: Text,
  text: Text,
  source: Text,
  level: Text,
  status: Text,
  number: z.number().catch(0),
  item: Item.nullable().catch(null),
  questions: z.array(z.object({ question: Text })).catch([]),
  name: Text,
  run: z.number().catch(1),
  result: Text,
  exitCode: z.number().nullable().catch(null),
  durationMs: z.number().nullable().catch(null),
  output: Text,
  changedFiles: z.array(Text).catch([]),
  files: z.array(z.object({ path: Text })).catch([]),
  leftOut: z.number().catch(0),
});
type Payload = z.infer<typeof Payload>;

/** One event as lines for a terminal; none for an event that a reader would not miss. */
export function logLines(event: StreamEvent, reader: Reader = null): string[] {
  const at = event.at.slice(11, 19);
  return linesOf(event, reader)
    .flatMap((line) => terminalText(line).trimEnd().split('\n'))
    .slice(0, MAX_LINES)
    .map((line) => `${at}  ${line}`.trimEnd());
}

function linesOf(event: StreamEvent, reader: Reader): string[] {
  if (event.type !== 'attempt.event') return announcement(event, reader);
  const payload = Payload.safeParse(event.data['payload']);
  const kind = Text.parse(event.data['kind']);
  return payload.success ? (BY_KIND[kind]?.(payload.data) ?? []) : [];
}

const BY_KIND: Readonly<Record<string, (payload: Payload) => string[]>> = {
  turn: ({ state, number, status, message }) =>
    state === 'started'
      ? [`--- turn ${number}`]
      : [`--- turn ended: ${statusOfTurn(status)} ${message}`],
  item: ({ state, item }) =>
    item === null ? [] : state === 'started' ? startLines(item) : endLines(item),
  notice: ({ level, message }) => [`${level}: ${message}`],
  log: ({ source, text }) => [`[${source}] ${text}`],
  check: checkLines,
  artifacts: artifactLines,
  request: ({ questions }) => questions.map(({ question }) => `? ${question}`),
};

/** Lines for a check: its result, and its output where it did not pass. */
function checkLines(check: Payload): string[] {
  const { state, name, run, result, output, changedFiles } = check;
  if (state === 'started') return [`--- check ${name}${run > 1 ? ', once more' : ''}`];
  return [
    ...(result === 'passed' || output === '' ? [] : [output]),
    `--- check ${name} ${checkText({ ...check, state: result, runs: run })}`,
    ...(changedFiles.length === 0 ? [] : [`put back: ${changedFiles.join(', ')}`]),
  ];
}

/** Lines for the files that the agent left for people; they replace earlier ones. */
function artifactLines({ files, leftOut }: Payload): string[] {
  const names = files.slice(0, SHOWN_FILES).map(({ path }) => plainLine(path));
  const named = names.length === 0 ? '' : `: ${namesText(names, files.length)}`;
  const count = `${files.length === 0 ? 'no' : files.length} file${files.length === 1 ? '' : 's'}`;
  const lost = leftOut === 0 ? '' : `; ${leftOut} more not kept`;
  return [`--- ${count} kept for review${named}${lost}`];
}

/** Whether somebody stopped the item or a runner was lost is still unknown. */
const NOT_FINISHED = 'not finished';

const statusOfTurn = (status: string): string =>
  status === 'interrupted' ? NOT_FINISHED : status || 'completed';

function startLines({ type, command }: z.infer<typeof Item>): string[] {
  return type === 'command' ? [`$ ${command}`] : [];
}

function endLines(item: z.infer<typeof Item>): string[] {
  const { type, command, output, exitCode, status, tool, text, changes } = item;
  // Other messages may have been printed since the item began.
  if (status === 'interrupted') return [`${command || tool || type}: ${NOT_FINISHED}`];
  if (type === 'command') {
    const failed = exitCode !== null && exitCode !== 0;
    return [...(output === '' ? [] : [output]), ...(failed ? [`exit code ${exitCode}`] : [])];
  }
  if (type === 'file_change') return changes.map(({ kind, path }) => `${kind || 'change'} ${path}`);
  if (type === 'tool_call') return [`${tool} ${output}`];
  const shown = withoutStatusLine(text);
  return shown === '' || type === 'user_message' ? [] : [shown];
}

const FACTS = ['phase', 'outcome', 'reason', 'message', 'errorMessage'] as const;

/**
 * Lines for an event of the service about an issue, attempt, pull request or request; none for
 * `issue.updated`.
 */
function announcement({ type, data }: StreamEvent, reader: Reader): string[] {
  if (!/^(issue|attempt|pull_request|request)\./.test(type) || type === 'issue.updated') return [];
  const [subject = '', verb = ''] = type.split('.');
  const [phase, outcome, reason, message, error] = FACTS.map((key) => Text.parse(data[key]));
  const code = asReasonCode(data['reasonCode']);
  const act = actText(code, reason || message || null, reader);
  const ended = outcome === 'cancelled' || verb === 'cancelled';
  const what = `* ${subject.replace('_', ' ')} ${ended ? 'stopped' : verb}`;
  if (ended && act !== null) return [what.replace('stopped', act)];
  const facts = [phase, ended ? '' : outcome, act ?? reason, error].filter(Boolean).join(', ');
  return [`${what}${facts === '' ? '' : `: ${facts}`}`];
}
