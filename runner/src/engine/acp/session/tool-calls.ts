import { cutText } from '@switchyard/shared/text/cut-text';
import type { EngineEvent } from '../../agent-engine.ts';
import { MAX_ITEM_TEXT_BYTES, truncateText } from '../../session/truncate-text.ts';
import type { AcpProfile } from '../acp-profile.ts';
import type { ToolCallFields } from '../session-update.ts';
import { fileDiff } from './file-diff.ts';
import { MAX_CHANGES, MAX_INPUT_BYTES, type OpenTool } from './open-tool.ts';
import type { AcpJournal } from './acp-journal.ts';
import { toolItem } from './tool-item.ts';

/** Open calls at once; further ones of an agent are not shown. */
const MAX_OPEN = 64;
/** Ended calls that are remembered, so that a late update does not reopen one. */
const MAX_ENDED = 200;
/** Bytes of an open call's output that the journal keeps. */
const MAX_KEPT_OUTPUT_BYTES = 4 * 1024;
const MAX_TITLE_CHARS = 2_000;

type To = { tell(event: EngineEvent): void; nowMs(): number };

/** The tool calls of the running turn, reported as items. */
export class ToolCalls {
  readonly #journal: AcpJournal;
  readonly #exitCode: AcpProfile['exitCode'];
  readonly #workspacePath: string | undefined;
  readonly #to: To;
  readonly #ended = new Set<string>();
  /** Latest complete output of open calls. */
  readonly #outputs = new Map<string, string>();

  constructor(
    journal: AcpJournal,
    profile: Pick<AcpProfile, 'exitCode'>,
    workspacePath: string | undefined,
    to: To,
  ) {
    this.#journal = journal;
    this.#exitCode = profile.exitCode;
    this.#workspacePath = workspacePath;
    this.#to = to;
  }

  /** Handles a call or an update of one; an update of an unknown call opens it. */
  updated(fields: ToolCallFields): void {
    const { toolCallId: id } = fields;
    if (this.#ended.has(id)) return;
    const { tools } = this.#journal;
    const known = tools.get(id);
    if (known === undefined && tools.size >= MAX_OPEN) return;
    const tool = known ?? newTool(fields, this.#to.nowMs());
    merge(tool, fields);
    tools.set(id, tool);
    this.#streamOutput(tool, textOf(fields));
    if (fields.status === 'completed' || fields.status === 'failed') {
      this.#end(tool, fields.status, fields.rawOutput);
    } else if (!tool.shown && (fields.status === 'in_progress' || isReported(tool))) {
      this.#show(tool);
    }
    this.#journal.save();
  }

  /** Closes open calls at the end of the turn, since they will never end by themselves. */
  turnEnded(status: 'interrupted' | 'unknown'): void {
    for (const tool of this.#journal.tools.values()) this.#end(tool, status, undefined);
    this.#ended.clear();
    this.#journal.save();
  }

  #show(tool: OpenTool): void {
    tool.shown = true;
    const item = toolItem(tool, { status: 'inProgress' }, this.#workspacePath);
    if (item.type === 'plan') return;
    this.#to.tell({ kind: 'item_started', itemId: tool.id, item });
  }

  #end(tool: OpenTool, status: string, rawOutput: unknown): void {
    if (!tool.shown) this.#show(tool);
    const exitCode = this.#exitCode?.(rawOutput) ?? null;
    const durationMs = Math.max(0, this.#to.nowMs() - tool.startedAtMs);
    const output = this.#outputs.get(tool.id) ?? tool.output;
    const complete = output === undefined ? tool : { ...tool, output };
    const end = { status, durationMs, ...(exitCode === null ? {} : { exitCode }) };
    const item = toolItem(complete, end, this.#workspacePath);
    this.#to.tell({ kind: 'item_ended', itemId: tool.id, item });
    this.#journal.tools.delete(tool.id);
    this.#outputs.delete(tool.id);
    this.#ended.add(tool.id);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  /** Agents repeat the whole output; only its new part is streamed. */
  #streamOutput(tool: OpenTool, text: string | null): void {
    if (text === null) return;
    const before = this.#outputs.get(tool.id) ?? tool.output ?? '';
    this.#outputs.set(tool.id, truncateText(text));
    tool.output = truncateText(text, MAX_KEPT_OUTPUT_BYTES);
    if (
      !tool.shown ||
      tool.kind !== 'execute' ||
      text.length <= before.length ||
      !text.startsWith(before)
    )
      return;
    const added = truncateText(text.slice(before.length), MAX_ITEM_TEXT_BYTES);
    this.#to.tell({ kind: 'delta', itemId: tool.id, stream: 'output', text: added });
  }
}

function newTool(fields: ToolCallFields, nowMs: number): OpenTool {
  const title = cutText(fields.title ?? '', MAX_TITLE_CHARS);
  const name = fields.name || title || 'tool';
  const { toolCallId: id } = fields;
  return {
    id,
    name,
    title,
    kind: fields.kind ?? '',
    startedAtMs: nowMs,
    shown: false,
    changes: [],
  };
}

function merge(tool: OpenTool, fields: ToolCallFields): void {
  if (fields.name) tool.name = fields.name;
  if (fields.title) tool.title = cutText(fields.title, MAX_TITLE_CHARS);
  if (fields.kind) tool.kind = fields.kind;
  // A request for approval contains only a part of the input.
  if (!isEmpty(fields.rawInput)) tool.input = mergedInput(tool.input, fields.rawInput);
  const changes = (fields.content ?? []).flatMap((content) => fileDiff(content) ?? []);
  if (changes.length === 0) return;
  tool.changes = changes.slice(0, MAX_CHANGES);
  const left = changes.length - tool.changes.length;
  if (left > 0) tool.changes.push({ path: `… and ${left} more files`, kind: 'omitted' });
}

function mergedInput(before: unknown, given: unknown): unknown {
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  return limited(isRecord(before) && isRecord(given) ? { ...before, ...given } : given);
}

/** Small inputs are unchanged; in large ones each long text is truncated. */
function limited(input: unknown): unknown {
  const text = JSON.stringify(input) ?? '';
  if (Buffer.byteLength(text) <= MAX_INPUT_BYTES) return input;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return truncateText(text, MAX_INPUT_BYTES);
  }
  const share = Math.max(256, Math.floor(MAX_INPUT_BYTES / (2 * Object.keys(input).length)));
  const cut = Object.entries(input)
    .slice(0, 32)
    .map(([key, value]) => {
      const own = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      return [key, Buffer.byteLength(own) <= share ? value : truncateText(own, share)];
    });
  return Object.fromEntries(cut);
}

/** Whether a call can be shown: its input says what it does. */
function isReported({ kind, input }: OpenTool): boolean {
  if (kind !== 'execute') return !isEmpty(input);
  return typeof input === 'object' && input !== null && 'command' in input;
}

function isEmpty(input: unknown): boolean {
  if (input === undefined || input === null) return true;
  return typeof input === 'object' && Object.keys(input).length === 0;
}

function textOf({ content }: ToolCallFields): string | null {
  const texts = (content ?? []).flatMap(({ type, content: block }) =>
    type === 'content' && typeof block?.text === 'string' ? [block.text] : [],
  );
  return texts.length === 0 ? null : texts.join('\n');
}
