/**
 * Options for Node's garbage collection in the service. By default the heap grows to several times
 * the live data and stays: a burst of refused requests would cost 200 MiB for good. Smaller steps,
 * which also count buffers outside the heap, cost a little processor time.
 */
export function serviceNodeOptions(version = process.versions.node) {
  const options = ['--max-semi-space-size=2', '--heap-growing-percent=20'];
  const knowsExternalMemory = Number(version.split('.')[0]) >= 24;
  return knowsExternalMemory
    ? [...options, '--external-memory-accounted-in-global-limit']
    : options;
}

/**
 * Variables that make the C library return memory: connections' buffers are allocated and freed by
 * several threads, and each arena keeps its largest size in fragments. Large buffers get pages of
 * their own, and freed pieces are merged at once, since a piece cached by size keeps an otherwise
 * empty page. Users may override each.
 */
export const serviceEnvironment = {
  GLIBC_TUNABLES: 'glibc.malloc.mxfast=0:glibc.malloc.tcache_count=0',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
