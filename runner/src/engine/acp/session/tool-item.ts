import { isAbsolute, relative } from 'node:path';
import type { EngineItem } from '../../agent-engine.ts';
import { truncateText } from '../../session/truncate-text.ts';
import type { OpenTool } from './open-tool.ts';

/** Kinds of tool calls that change files. */
const EDIT_KINDS = new Set(['edit', 'delete', 'move']);

/** How a call ended, or that it is running. */
export type ToolEnd = { status: string; exitCode?: number; durationMs?: number };

/** A tool call for people: a command, changed files, a plan, or the use of a tool. */
export function toolItem(tool: OpenTool, end: ToolEnd, workspacePath?: string): EngineItem {
  const { status, exitCode, durationMs } = end;
  const took = durationMs === undefined ? {} : { durationMs };
  const output = tool.output === undefined ? {} : { output: truncateText(tool.output) };
  const plan = planText(tool.input);
  if (plan !== null) return { type: 'plan', text: plan };
  const command = stringOf(tool.input, 'command');
  if (tool.kind === 'execute' && (command !== null || tool.title !== '')) {
    const cwd = stringOf(tool.input, 'cwd');
    return {
      type: 'command',
      command: truncateText(command ?? tool.title),
      ...(cwd === null ? {} : { cwd }),
      status,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...output,
      ...took,
    };
  }
  if (tool.changes.length > 0 || EDIT_KINDS.has(tool.kind)) {
    const path = stringOf(tool.input, 'filePath', 'file_path', 'path');
    const named =
      path === null ? [] : [{ path, kind: tool.kind === 'delete' ? 'delete' : 'update' }];
    const changes = (tool.changes.length > 0 ? tool.changes : named).map((change) => ({
      ...change,
      path: pathInside(workspacePath, change.path),
    }));
    return { type: 'file_change', status, changes };
  }
  return {
    type: 'tool_call',
    tool: tool.name,
    status,
    ...(tool.input === undefined ? {} : { arguments: tool.input }),
    ...output,
    ...took,
  };
}

/** The plan from a tool's input, for agents that maintain their plan by a tool; null: none. */
function planText(input: unknown): string | null {
  if (typeof input !== 'object' || input === null || !('todos' in input)) return null;
  if (!Array.isArray(input.todos)) return null;
  const steps = (input.todos as unknown[]).flatMap((todo) => {
    const content = stringOf(todo, 'content');
    return content === null ? [] : [`[${stringOf(todo, 'status') ?? 'pending'}] ${content}`];
  });
  return steps.length === 0 ? null : truncateText(steps.join('\n'));
}

/** The first of these fields that is a text; null: none. */
function stringOf(value: unknown, ...names: string[]): string | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const name of names) {
    const found: unknown = (value as Record<string, unknown>)[name];
    if (typeof found === 'string' && found !== '') return found;
  }
  return null;
}

/** The path inside the workspace; unchanged when the file is elsewhere. */
function pathInside(workspacePath: string | undefined, path: string): string {
  if (workspacePath === undefined || !isAbsolute(path)) return path;
  const inside = relative(workspacePath, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}
