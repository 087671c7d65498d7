import { spawnSync } from 'node:child_process';
import type { SystemPart } from './system-part.ts';

const TIMEOUT_MS = 60_000;

/** Whether Python, which reads JSON more strictly than JavaScript, is here. */
export function pythonPart(): SystemPart {
  const probe = spawnSync('python3', ['-c', 'import json'], { timeout: TIMEOUT_MS });
  if (probe.status === 0) return { available: true, detail: 'python3' };
  return { available: false, reason: 'no python3 in PATH' };
}

const READ_EACH =
  'import json, sys\nfor text in sys.stdin.buffer.read().split(b"\\0"): json.dumps(json.loads(text), ensure_ascii=False).encode()';

/** What Python says against one of these JSON texts: that it is none, or that it has no UTF-8. */
export function pythonRefusal(texts: readonly string[]): string | null {
  const input = texts.join('\0');
  const run = spawnSync('python3', ['-c', READ_EACH], { input, timeout: TIMEOUT_MS });
  return run.status === 0 ? null : run.stderr.toString();
}
