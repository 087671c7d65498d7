import { actorText } from '@switchyard/shared/reasons/act-of-person';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { ComponentChildren } from 'preact';
import { useReader } from '../../api/queries.ts';
import { plural } from '../../format/format-count.ts';
import { formatDuration } from '../../format/time.ts';
import { DiffView } from '../../ui/diff/diff-view.tsx';
import { Icon, type IconName } from '../../ui/marks/icon.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Elapsed } from '../../ui/marks/ago.tsx';
import type { ItemRow } from './rows/event-log.ts';
import type { FileChange, LogItem, SentMessage } from './rows/log-item.ts';
import { TextBlock } from './text/text-block.tsx';

/** A row whose details the reader opens or closes. */
export type ToggledRow = { key: string; open: boolean };

type ItemViewProps = {
  row: ItemRow;
  open: boolean | undefined;
  onToggle: (row: ToggledRow) => void;
};

/** An engine item in the log: one line with its summary, and details below on request. */
export function ItemView({ row, open, onToggle }: ItemViewProps) {
  const { item } = row;
  if (item.type === 'message') return <MessageView text={item.text} />;
  const shape = shapeOf(item, { running: row.endedAtMs === null });
  const foldable = shape.details !== null;
  const isOpen = foldable && (open ?? shape.startsOpen);
  const line = (
    <>
      <Icon name={shape.icon} size={14} />
      <span class={`item-title ${shape.mono ? 'mono' : ''}`} dir="auto">
        {shape.title}
      </span>
      {shape.badge}
      <span class="item-time">{timeOf(row)}</span>
      {foldable && <Icon name="chevron" size={14} class={isOpen ? 'turned' : ''} />}
    </>
  );
  return (
    <div class={`log-item item-${item.type} ${shape.failed ? 'failed' : ''}`}>
      {foldable ? (
        <button
          type="button"
          class="item-line"
          aria-expanded={isOpen}
          onClick={() => onToggle({ key: row.key, open: !isOpen })}
        >
          {line}
        </button>
      ) : (
        <div class="item-line">{line}</div>
      )}
      {isOpen && <div class="item-details">{shape.details}</div>}
    </div>
  );
}

const SENT: Record<SentMessage['state'], { word: string; look: string }> = {
  waiting: { word: 'sent, not read yet', look: 'running' },
  taken: { word: 'read by the agent', look: '' },
  left: { word: 'not read, kept for the next attempt', look: 'bad' },
};

/** The sender of a message, and whether the agent has received it. */
function SentBadge({ sent }: { sent: SentMessage }) {
  const reader = useReader();
  const { word, look: style } = SENT[sent.state];
  return (
    <span class={`badge ${style}`}>
      by {actorText(sent.by, reader)} · {word}
    </span>
  );
}

/** The agent's messages are always open, since they are what readers look for. */
function MessageView({ text }: { text: string }) {
  return (
    <div class="log-item item-message">
      <div class="item-line">
        <Icon name="message" size={14} />
        <span class="visually-hidden">Agent:</span>
        <div class="grow prose">
          <Markdown text={text} />
        </div>
      </div>
    </div>
  );
}

function timeOf(row: ItemRow): ComponentChildren {
  const known = 'durationMs' in row.item ? row.item.durationMs : null;
  if (known !== null) return formatDuration(known);
  if (row.endedAtMs === null) return <Elapsed from={row.startedAtMs} to={null} />;
  const tookMs = row.endedAtMs - row.startedAtMs;
  return tookMs >= 1_000 ? formatDuration(tookMs) : '';
}

type Shape = {
  icon: IconName;
  title: string;
  mono: boolean;
  badge: ComponentChildren;
  details: ComponentChildren | null;
  startsOpen: boolean;
  failed: boolean;
};

const PLAIN: Omit<Shape, 'icon' | 'title'> = {
  mono: false,
  badge: null,
  details: null,
  startsOpen: false,
  failed: false,
};

type ItemState = { running: boolean };

function shapeOf(item: Exclude<LogItem, { type: 'message' }>, state: ItemState): Shape {
  switch (item.type) {
    case 'user_message':
      return {
        ...PLAIN,
        icon: 'person',
        title: item.sent === null ? `Prompt · ${firstLine(item.text)}` : firstLine(item.text),
        badge: item.sent === null ? null : <SentBadge sent={item.sent} />,
        details: item.sent === null || isLong(item.text) ? proseOf(item.text) : null,
      };
    case 'reasoning':
      return {
        ...PLAIN,
        icon: 'thought',
        title: firstLine(item.text) || (state.running ? 'Thinking' : 'Thought'),
        details: isLong(item.text) ? markdownOf(item.text) : null,
      };
    case 'plan':
      return {
        ...PLAIN,
        icon: 'plan',
        title: 'Plan',
        details: markdownOf(item.text),
        startsOpen: true,
      };
    case 'command':
      return commandShape(item, state);
    case 'file_change':
      return changeShape(item.changes, item.status);
    case 'tool_call':
      return toolShape(item);
    case 'check':
      return checkShape(item, state);
    case 'other':
      return {
        ...PLAIN,
        icon: 'dot',
        title: [item.name, item.summary].filter(Boolean).join(' · '),
      };
  }
}

/** States of an item that did not complete its purpose. */
const NOT_DONE: ReadonlySet<string> = new Set(['failed', 'declined', 'interrupted']);

function commandShape(item: Extract<LogItem, { type: 'command' }>, { running }: ItemState): Shape {
  const failed = (item.exitCode !== null && item.exitCode !== 0) || NOT_DONE.has(item.status);
  const word = item.exitCode === null ? item.status : `exit ${item.exitCode}`;
  return {
    icon: 'command',
    title: item.command,
    mono: true,
    badge: running ? (
      <span class="badge running">running</span>
    ) : (
      <span class={`badge ${failed ? 'bad' : ''}`}>{word}</span>
    ),
    details: item.output === '' ? null : <TextBlock text={item.output} />,
    startsOpen: failed || running,
    failed,
  };
}

function checkShape(item: Extract<LogItem, { type: 'check' }>, { running }: ItemState): Shape {
  const failed = item.status === 'failed' || item.status === 'timed_out';
  // An interrupted item has no end of its own that its text would mention.
  const cutOff = ['interrupted', 'stopped'].includes(item.status);
  return {
    ...PLAIN,
    icon: item.status === 'passed' ? 'completed' : failed ? 'failed' : 'dot',
    title: item.title,
    badge: (running || cutOff) && (
      <span class={running ? 'badge running' : 'badge'}>{item.status}</span>
    ),
    details: item.output === '' ? null : <TextBlock text={item.output} />,
    failed,
  };
}

function changeShape(changes: FileChange[], status: string): Shape {
  const failed = NOT_DONE.has(status);
  const [first] = changes;
  const title =
    changes.length === 1 && first !== undefined ? first.path : plural(changes.length, 'file');
  const labels = new Set(changes.map((change) => changeLabel(change.kind)));
  return {
    icon: 'file',
    title,
    mono: changes.length === 1,
    badge: (
      <span class={`badge ${failed ? 'bad' : ''}`}>{failed ? status : [...labels].join(', ')}</span>
    ),
    details:
      changes.some((change) => change.diff !== '') || changes.length > 1 ? (
        <Changes changes={changes} />
      ) : null,
    startsOpen: true,
    failed,
  };
}

function Changes({ changes }: { changes: FileChange[] }) {
  return (
    <>
      {changes.map((change) => (
        <div key={change.path} class="change">
          {changes.length > 1 && <p class="mono">{change.path}</p>}
          {change.diff.includes('@@ -') ? (
            <DiffView diff={change.diff} />
          ) : (
            change.diff !== '' && <TextBlock text={change.diff} />
          )}
        </div>
      ))}
    </>
  );
}

function changeLabel(kind: string): string {
  const names: Record<string, string> = { add: 'added', delete: 'deleted', update: 'changed' };
  return names[kind] ?? kind;
}

function toolShape(item: Extract<LogItem, { type: 'tool_call' }>): Shape {
  const failed = NOT_DONE.has(item.status);
  const text = [item.arguments, item.output].filter((part) => part !== '').join('\n\n');
  return {
    icon: 'tool',
    title: item.tool,
    mono: true,
    badge: <span class={`badge ${failed ? 'bad' : ''}`}>{item.status}</span>,
    details: text === '' ? null : <TextBlock text={text} />,
    startsOpen: failed,
    failed,
  };
}

function proseOf(text: string): ComponentChildren {
  return (
    <div class="prose">
      <TextBlock text={text} />
    </div>
  );
}

function markdownOf(text: string): ComponentChildren {
  return (
    <div class="prose">
      <Markdown text={text} />
    </div>
  );
}

function firstLine(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return cutText(line.replaceAll('**', ''), 200);
}

function isLong(text: string): boolean {
  return text.trim().includes('\n') || text.length > 200;
}
