import { withoutStatusLine } from '@switchyard/shared/engine/status-of-line';
import type { CheckItem } from './check-item.ts';
import { textOf } from '../../../format/text-of.ts';

export type FileChange = { path: string; kind: string; diff: string };

/**
 * The sender of a message to the agent, and its state; `left`: the attempt ended before the agent
 * got it.
 */
export type SentMessage = { by: string; state: 'waiting' | 'taken' | 'left' };

/** An engine item in the log. Parsed leniently, since it comes from an agent through a runner. */
export type LogItem =
  | { type: 'message'; text: string }
  | { type: 'user_message'; text: string; sent: SentMessage | null }
  | { type: 'reasoning' | 'plan'; text: string }
  | {
      type: 'command';
      command: string;
      cwd: string;
      status: string;
      exitCode: number | null;
      output: string;
      durationMs: number | null;
    }
  | { type: 'file_change'; status: string; changes: FileChange[] }
  | {
      type: 'tool_call';
      tool: string;
      status: string;
      arguments: string;
      output: string;
      durationMs: number | null;
    }
  | CheckItem
  | { type: 'other'; name: string; summary: string };

/** Parses an item of any engine; an unknown type keeps its name and is shown unchanged. */
export function readLogItem(raw: Record<string, unknown>): LogItem {
  switch (raw['type']) {
    case 'message':
      return { type: 'message', text: withoutStatusLine(textOf(raw['text'])) };
    case 'reasoning':
    case 'plan':
      return { type: raw['type'], text: withoutStatusLine(textOf(raw['text'])) };
    case 'user_message':
      return { type: 'user_message', text: textOf(raw['text']), sent: null };
    case 'command':
      return {
        type: 'command',
        command: textOf(raw['command']),
        cwd: textOf(raw['cwd']),
        status: textOf(raw['status']),
        exitCode: number(raw['exitCode']),
        output: textOf(raw['output']),
        durationMs: number(raw['durationMs']),
      };
    case 'file_change':
      return {
        type: 'file_change',
        status: textOf(raw['status']),
        changes: changesOf(raw['changes']),
      };
    case 'tool_call':
      return {
        type: 'tool_call',
        tool: textOf(raw['tool']),
        status: textOf(raw['status']),
        arguments: pretty(raw['arguments']),
        output: textOf(raw['output']),
        durationMs: number(raw['durationMs']),
      };
    default:
      return {
        type: 'other',
        name: textOf(raw['name']) || textOf(raw['type']) || 'item',
        summary: textOf(raw['summary']),
      };
  }
}

function changesOf(value: unknown): FileChange[] {
  if (!Array.isArray(value)) return [];
  return value.map((change: Record<string, unknown> | null) => ({
    path: textOf(change?.['path']),
    kind: textOf(change?.['kind']),
    diff: textOf(change?.['diff']),
  }));
}

function pretty(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
