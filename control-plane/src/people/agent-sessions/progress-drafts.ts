import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { withoutStatusLine } from '@switchyard/shared/engine/status-of-line';
import { inertMarkdown } from '@switchyard/shared/markdown/inert-markdown';
import { cutText } from '@switchyard/shared/text/cut-text';
import { visibleLine } from '../../attempts/prompt/untrusted-text.ts';
import type { Draft } from './decide.ts';

const MAX_THOUGHT_CHARS = 4_000;
const MAX_PARAMETER_CHARS = 300;

/**
 * The agent's latest text and action, at most one of each, in the order of their events. The
 * attempt's page shows everything else. Pure.
 */
export function progressDrafts(events: readonly StreamEvent[]): Draft[] {
  const newest: { thought?: Draft; action?: Draft } = {};
  for (const event of events) {
    const item = endedItem(event);
    if (item === null) continue;
    const thought = thoughtOf(item);
    const action = actionOf(item);
    // Deleted first, so that the later of the two comes last.
    if (thought !== null) {
      delete newest.thought;
      newest.thought = thought;
    }
    if (action !== null) {
      delete newest.action;
      newest.action = action;
    }
  }
  return Object.values(newest);
}

type Item = Record<string, unknown>;

function endedItem({ type, data }: StreamEvent): Item | null {
  if (type !== 'attempt.event' || data['kind'] !== 'item') return null;
  const payload = data['payload'] as { state?: unknown; item?: unknown } | undefined;
  const isItem = typeof payload?.item === 'object' && payload.item !== null;
  if (payload?.state !== 'ended' || !isItem) return null;
  const item = payload.item as Item;
  // An interrupted action was not completed.
  return item['status'] === 'interrupted' ? null : item;
}

function thoughtOf({ type, text }: Item): Draft | null {
  if (type !== 'message' || typeof text !== 'string') return null;
  // A final message is reported with the summary instead.
  if (withoutStatusLine(text) !== text) return null;
  const body = inertMarkdown(text, { maxChars: MAX_THOUGHT_CHARS, headingLevel: 4, code: 'kept' });
  return body === '' ? null : { content: { type: 'thought', body } };
}

function actionOf({ type, command, exitCode, changes }: Item): Draft | null {
  if (type === 'command' && typeof command === 'string') {
    const result = typeof exitCode === 'number' ? { result: `exit code ${exitCode}` } : {};
    return action('Ran', command, result);
  }
  if (type !== 'file_change' || !Array.isArray(changes)) return null;
  const paths = (changes as { path?: unknown }[]).flatMap(({ path }) =>
    typeof path === 'string' ? [path] : [],
  );
  return action('Changed', paths.join(', '), {});
}

function action(name: string, parameter: string, result: { result?: string }): Draft | null {
  const line = cutText(visibleLine(parameter), MAX_PARAMETER_CHARS, '…');
  if (line === '') return null;
  return { content: { type: 'action', action: name, parameter: line, ...result }, ephemeral: true };
}
