import { cutText } from '@switchyard/shared/text/cut-text';
import { textOf, isRecord } from '../../format/text-of.ts';

const TEXT_MAX = 4_000;

export type ThreadMessage = { who: 'Prompt' | 'Agent' | 'Command'; text: string };

/** Messages and commands in the turns of a thread, in order; other kinds of items are left out. */
export function threadMessages(turns: unknown): ThreadMessage[] {
  if (!Array.isArray(turns)) return [];
  return turns.flatMap((turn: unknown) => {
    const items: unknown = isRecord(turn) ? turn['items'] : [];
    return Array.isArray(items) ? items.flatMap((item: unknown) => messageOf(item) ?? []) : [];
  });
}

function messageOf(item: unknown): ThreadMessage | null {
  if (!isRecord(item)) return null;
  const cut = (text: string) => cutText(text, TEXT_MAX);
  switch (item['type']) {
    case 'userMessage':
      return { who: 'Prompt', text: cut(textIn(item['content'])) };
    case 'agentMessage':
      return { who: 'Agent', text: cut(textOf(item['text'])) };
    case 'commandExecution':
      return { who: 'Command', text: cut(textOf(item['command'])) };
    default:
      return null;
  }
}

function textIn(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) =>
      isRecord(part) && typeof part['text'] === 'string' ? part['text'] : [],
    )
    .join('\n');
}
