import { Worker } from 'node:worker_threads';

/** How often each kind of client got which answer; `none` where it took none or was cut off. */
export type HostileReport = Record<string, Record<string, number>>;

/** Starts every kind of hostile client against a service; `stop` ends them and tells what they got. */
export function startHostileClients(url: string): { stop(): Promise<HostileReport> } {
  const worker = new Worker(new URL('./hostile-worker.ts', import.meta.url), {
    workerData: { url },
  });
  const ended = new Promise<HostileReport>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the hostile clients ended with ${code}`)));
  });
  // Looked at when they are stopped.
  ended.catch(() => undefined);
  return {
    async stop() {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none
      worker.postMessage('stop');
      try {
        return await ended;
      } finally {
        await worker.terminate();
      }
    },
  };
}
