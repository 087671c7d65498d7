import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { z } from 'zod';
import { terminalText } from '../options/command-context.ts';

const MAX_LINES = 200;
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
/** The parts of an attempt's event that a log shows; any of them may be missing. */
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
});
type Payload = z.infer<typeof Payload>;

/** One event as lines for a terminal; none where a reader would miss nothing. */
export function logLines(event: StreamEvent): string[] {
  const at = event.at.slice(11, 19);
  return linesOf(event)
    .flatMap((line) => terminalText(line).trimEnd().split('\n'))
    .slice(0, MAX_LINES)
    .map((line) => `${at}  ${line}`.trimEnd());
}

function linesOf(event: StreamEvent): string[] {
  if (event.type !== 'attempt.event') return announcement(event);
  const payload = Payload.safeParse(event.data['payload']);
  const kind = Text.parse(event.data['kind']);
  return payload.success ? (BY_KIND[kind]?.(payload.data) ?? []) : [];
}

const BY_KIND: Readonly<Record<string, (payload: Payload) => string[]>> = {
  turn: ({ state, number, status, message }) =>
    state === 'started'
      ? [`--- turn ${number}`]
      : [`--- turn ended: ${status || 'completed'} ${message}`],
  item: ({ state, item }) => (item === null ? [] : itemLines(item, state === 'started')),
  notice: ({ level, message }) => [`${level}: ${message}`],
  log: ({ source, text }) => [`[${source}] ${text}`],
  request: ({ questions }) => questions.map(({ question }) => `? ${question}`),
};

function itemLines(item: z.infer<typeof Item>, started: boolean): string[] {
  const { type, command, output, exitCode, status, tool, text, changes } = item;
  if (started) return type === 'command' ? [`$ ${command}`] : [];
  // Others may have said something since it began.
  if (status === 'interrupted') return [`${command || tool || type}: interrupted`];
  if (type === 'command') {
    const failed = exitCode !== null && exitCode !== 0;
    return [...(output === '' ? [] : [output]), ...(failed ? [`exit code ${exitCode}`] : [])];
  }
  if (type === 'file_change') return changes.map(({ kind, path }) => `${kind || 'change'} ${path}`);
  if (type === 'tool_call') return [`${tool} ${output}`];
  return text === '' || type === 'user_message' ? [] : [text];
}

/** What the service says of an issue or attempt; the runner's own reports of phases are enough. */
function announcement({ type, data }: StreamEvent): string[] {
  if (!/^(issue|attempt|pull_request|request)\./.test(type) || type === 'issue.updated') return [];
  const facts = ['phase', 'outcome', 'reason', 'errorMessage'].map((key) => Text.parse(data[key]));
  const rest = facts.filter((part) => part !== '').join(', ');
  return [`* ${type.replace('.', ' ').replace('_', ' ')}${rest === '' ? '' : `: ${rest}`}`];
}
