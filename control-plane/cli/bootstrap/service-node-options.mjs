/**
 * How Node collects garbage in the service. Left alone it lets the heap grow to several times what
 * is alive and keeps it: a burst of requests that are all refused would cost 200 MiB for good. Smaller
 * steps, in which buffers outside the heap count too, cost a little processor time.
 */
export function serviceNodeOptions(version = process.versions.node) {
  const options = ['--max-semi-space-size=2', '--heap-growing-percent=20'];
  const knowsExternalMemory = Number(version.split('.')[0]) >= 24;
  return knowsExternalMemory
    ? [...options, '--external-memory-accounted-in-global-limit']
    : options;
}

/**
 * How the C library gives memory back: the buffers of connections come and go in several threads,
 * and each arena keeps its largest size, in pieces. Read buffers are pages of their own. Anybody may
 * set them otherwise. Freed pieces join at once instead of waiting in lists for their size: these
 * keep whole pages that are empty but for one of them.
 */
export const serviceEnvironment = {
  GLIBC_TUNABLES: 'glibc.malloc.mxfast=0:glibc.malloc.tcache_count=0',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
