/** Folder of hidden refs on a remote; nothing shows them unless asked by name. */
export const WORK_IN_PROGRESS_PREFIX = 'refs/switchyard/wip/';

/** Hidden ref that holds an issue's unfinished work. `identifier` is a valid issue identifier. */
export function workInProgressRef(identifier: string): string {
  return `${WORK_IN_PROGRESS_PREFIX}${identifier.toLowerCase()}`;
}
