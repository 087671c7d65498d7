/** Folder of hidden refs on a remote; nothing shows them unless asked by name. */
export const WORK_IN_PROGRESS_PREFIX = 'refs/switchyard/wip/';

/** Hidden ref that holds an issue's unfinished work, after its workspace key: no two differ in case alone. */
export function workInProgressRef(key: string): string {
  return `${WORK_IN_PROGRESS_PREFIX}${key.toLowerCase()}`;
}
