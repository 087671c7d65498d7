/** Prefix of the hidden refs on a remote, which nothing shows unless they are requested by name. */
export const WORK_IN_PROGRESS_PREFIX = 'refs/switchyard/wip/';

/**
 * Hidden ref for an issue's unfinished work, named after its workspace key. No two of them differ
 * in case alone.
 */
export function workInProgressRef(key: string): string {
  return `${WORK_IN_PROGRESS_PREFIX}${key.toLowerCase()}`;
}
