import { isAbsolute, relative } from 'node:path';
import * as z from 'zod';
import type { EngineItem } from '../../agent-engine.ts';
import type { Item } from '../turn-params.ts';
import { MAX_ITEM_TEXT_BYTES, truncateText } from '../../session/truncate-text.ts';

/** Files of one change that are listed; the others are counted. */
const MAX_LISTED_CHANGES = 200;

const ContentPart = z.looseObject({ type: z.string(), text: z.string().optional() });

/**
 * An engine's item in the form for people: long texts keep their beginning and end, and workspace
 * files are given by their path inside.
 */
export function mapItem(item: Item, workspacePath?: string): EngineItem {
  const text = truncateText(item.text ?? '');
  switch (item.type) {
    case 'agentMessage':
      return { type: 'message', text };
    case 'plan':
      return { type: 'plan', text };
    case 'userMessage': {
      const message = {
        type: 'user_message' as const,
        text: truncateText(contentText(item.content)),
      };
      return item.clientId ? { ...message, clientId: item.clientId } : message;
    }
    case 'reasoning': {
      const summary = item.summary?.length ? item.summary.join('\n\n') : contentText(item.content);
      return { type: 'reasoning', text: truncateText(summary) };
    }
    case 'commandExecution':
      return commandItem(item);
    case 'fileChange':
      return fileChangeItem(item, workspacePath);
    case 'mcpToolCall':
      return toolItem(item, `${item.server ?? 'mcp'}.${item.tool ?? ''}`);
    case 'dynamicToolCall':
    case 'collabAgentToolCall':
      return toolItem(item, item.tool ?? item.type);
    default:
      return otherItem(item);
  }
}

function commandItem(item: Item): EngineItem {
  return {
    type: 'command',
    command: truncateText(withoutShell(item.command ?? '')),
    status: item.status ?? 'unknown',
    ...(item.cwd ? { cwd: item.cwd } : {}),
    ...(typeof item.exitCode === 'number' ? { exitCode: item.exitCode } : {}),
    ...(item.aggregatedOutput ? { output: truncateText(item.aggregatedOutput) } : {}),
    ...duration(item),
  };
}

/** A command without the shell call around it, which the engine adds. */
function withoutShell(command: string): string {
  const inner = /^\S*\/(?:ba|z|da)?sh -l?c (?:'([^']*)'|"([^"\\$`]*)"|(\S+))$/.exec(command);
  return inner?.[1] ?? inner?.[2] ?? inner?.[3] ?? command;
}

function fileChangeItem(item: Item, workspacePath: string | undefined): EngineItem {
  const all = item.changes ?? [];
  const listed = all.slice(0, MAX_LISTED_CHANGES);
  const share = Math.floor(MAX_ITEM_TEXT_BYTES / Math.max(1, listed.length));
  const changes = listed.map(({ path, kind, diff }) => ({
    path: pathInside(workspacePath, path),
    kind: typeof kind === 'string' ? kind : kind.type,
    ...(diff ? { diff: truncateText(diff, Math.max(share, 256)) } : {}),
  }));
  if (all.length > listed.length) {
    changes.push({ path: `… and ${all.length - listed.length} more files`, kind: 'omitted' });
  }
  return { type: 'file_change', status: item.status ?? 'unknown', changes };
}

/** The path inside the workspace; unchanged when the file is elsewhere. */
function pathInside(workspacePath: string | undefined, path: string): string {
  if (workspacePath === undefined || !isAbsolute(path)) return path;
  const inside = relative(workspacePath, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}

function toolItem(item: Item, tool: string): EngineItem {
  const output = item.error ?? item.result ?? item.contentItems;
  return {
    type: 'tool_call',
    tool,
    status: item.status ?? 'unknown',
    ...(item.arguments === undefined ? {} : { arguments: limited(item.arguments) }),
    ...(output ? { output: truncateText(asText(output)) } : {}),
    ...duration(item),
  };
}

function otherItem(item: Item): EngineItem {
  const summary = item.query ?? item.path ?? item.text;
  const other = { type: 'other' as const, name: item.type };
  return summary ? { ...other, summary: truncateText(summary) } : other;
}

function duration(item: Item): { durationMs?: number } {
  return typeof item.durationMs === 'number' ? { durationMs: item.durationMs } : {};
}

/** Small arguments are unchanged; large ones become a truncated text. */
function limited(value: unknown): unknown {
  const text = asText(value);
  return Buffer.byteLength(text) <= MAX_ITEM_TEXT_BYTES ? value : truncateText(text);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function contentText(content: readonly unknown[] | null | undefined): string {
  return (content ?? []).map(partText).join('\n');
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  const parsed = ContentPart.safeParse(part);
  if (!parsed.success) return '';
  return parsed.data.text ?? `[${parsed.data.type}]`;
}
