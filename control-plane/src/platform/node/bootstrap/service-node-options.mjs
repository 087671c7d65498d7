/**
 * How Node collects garbage in the service. Left alone it lets the heap grow to several times what
 * is alive and keeps it: a burst of requests that are all refused would cost 200 MiB for good. Smaller
 * steps cost a little processor time.
 */
export const serviceNodeOptions = ['--max-semi-space-size=8', '--heap-growing-percent=50'];
