import { readdir, readFile } from 'node:fs/promises';

const EVERY_MS = 10;

/** Looks at the command line and environment of every process for texts until it is stopped. */
export function watchProcesses(texts: () => readonly string[]): { stop(): Promise<string[]> } {
  const found = new Set<string>();
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
        if (Number(pid) === process.pid) continue;
        for (const what of ['cmdline', 'environ']) {
          const content = await readFile(`/proc/${pid}/${what}`, 'utf8').catch(() => '');
          if (texts().some((text) => content.includes(text))) {
            found.add(`${what} of ${content.split('\0')[0]}`);
          }
        }
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      return [...found];
    },
  };
}
