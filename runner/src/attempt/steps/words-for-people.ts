import { plainText } from '@switchyard/shared/text/plain-text';

/** A line of a program's own log: its time, and how grave it is. */
const LOG_LINE =
  /^\s*\[?\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?\]?\s+(?:TRACE|DEBUG|INFO|WARN|ERROR)\b/;

/**
 * A reason as people read it: without colours of terminals, without lines of an engine's log, and
 * with paths as the repository has them instead of folders of this host.
 */
export function wordsForPeople(
  message: string,
  folders: { dataDir: string; workspacePath?: string | undefined },
): string {
  const lines = plainText(message)
    .split('\n')
    .filter((line) => !LOG_LINE.test(line));
  let text = lines.join('\n').trim();
  const { workspacePath, dataDir } = folders;
  if (workspacePath !== undefined) {
    text = text.replaceAll(`${workspacePath}/`, '').replaceAll(workspacePath, 'the workspace');
  }
  return text.replaceAll(dataDir, "the runner's folder");
}
