import { plainText } from '@switchyard/shared/text/plain-text';
import { isLogLine } from '../../engine/is-log-line.ts';

/**
 * A reason in a form for people: without terminal colours and log lines of an engine, and with
 * paths of the repository instead of folders of this host.
 */
export function readableReason(
  message: string,
  folders: { dataDir: string; workspacePath?: string | undefined },
): string {
  const lines = plainText(message)
    .split('\n')
    .filter((line) => !isLogLine(line));
  let text = lines.join('\n').trim();
  const { workspacePath, dataDir } = folders;
  if (workspacePath !== undefined) {
    text = text.replaceAll(`${workspacePath}/`, '').replaceAll(workspacePath, 'the workspace');
  }
  return text.replaceAll(dataDir, "the runner's folder");
}
