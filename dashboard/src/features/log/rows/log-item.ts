export type FileChange = { path: string; kind: string; diff: string };

/** An engine item as the log shows it. Read leniently: it comes from an agent through a runner. */
export type LogItem =
  | { type: 'message'; text: string }
  | { type: 'user_message' | 'reasoning' | 'plan'; text: string }
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
  | { type: 'other'; name: string; summary: string };

/** Reads an item of any engine; an unknown type keeps its name and is shown as it is. */
export function readLogItem(raw: Record<string, unknown>): LogItem {
  switch (raw['type']) {
    case 'message':
      return { type: 'message', text: string(raw['text']) };
    case 'user_message':
    case 'reasoning':
    case 'plan':
      return { type: raw['type'], text: string(raw['text']) };
    case 'command':
      return {
        type: 'command',
        command: string(raw['command']),
        cwd: string(raw['cwd']),
        status: string(raw['status']),
        exitCode: number(raw['exitCode']),
        output: string(raw['output']),
        durationMs: number(raw['durationMs']),
      };
    case 'file_change':
      return {
        type: 'file_change',
        status: string(raw['status']),
        changes: changesOf(raw['changes']),
      };
    case 'tool_call':
      return {
        type: 'tool_call',
        tool: string(raw['tool']),
        status: string(raw['status']),
        arguments: pretty(raw['arguments']),
        output: string(raw['output']),
        durationMs: number(raw['durationMs']),
      };
    default:
      return {
        type: 'other',
        name: string(raw['name']) || string(raw['type']) || 'item',
        summary: string(raw['summary']),
      };
  }
}

function changesOf(value: unknown): FileChange[] {
  if (!Array.isArray(value)) return [];
  return value.map((change: Record<string, unknown> | null) => ({
    path: string(change?.['path']),
    kind: string(change?.['kind']),
    diff: string(change?.['diff']),
  }));
}

function pretty(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
