import { MAX_MODE_CHANGES, type ModeChange } from '@switchyard/shared/api/work/diff-stat';
import { cutText } from '@switchyard/shared/text/cut-text';
import { shownPath } from '../git/shown-path.ts';

const ENTRY = /^:(\d{6}) (\d{6}) [0-9a-f]+ [0-9a-f]+ ([A-Z])/;
const NONE = '000000';
const MAX_PATH_CHARS = 500;

/**
 * Files with a changed mode, from the output of `git diff --raw -z`, at most 50. Truncated output
 * is read as far as it is complete.
 */
export function modeChanges(raw: string): ModeChange[] {
  const fields = raw.split('\0').slice(0, -1);
  const changes: ModeChange[] = [];
  for (let at = 0; at < fields.length && changes.length < MAX_MODE_CHANGES;) {
    const [, from = NONE, to = NONE, kind] = ENTRY.exec(fields[at] ?? '') ?? [];
    // A renamed file has its old name before the new one.
    at += kind === 'R' || kind === 'C' ? 2 : 1;
    const path = fields[at];
    at += 1;
    if (path === undefined || from === to || from === NONE || to === NONE) continue;
    changes.push({ path: shownPath(cutText(path, MAX_PATH_CHARS)), from, to });
  }
  return changes;
}
