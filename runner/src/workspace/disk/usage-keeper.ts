import { type WorkspaceUsage, workspaceUsage } from './workspace-usage.ts';

const FRESH_MS = 10_000;
const WALK_LIMIT_MS = 60_000;
const UNKNOWN: WorkspaceUsage = { diskBytes: 0, entries: 0, lastModifiedMs: 0, complete: false };

type Known = { usage: WorkspaceUsage; atMs: number };

/**
 * Measures disk usage in the background, one folder after another: callers wait for a limited time
 * and get what is known by then. A measurement ends after 60 s with what it has counted.
 */
export class UsageKeeper {
  readonly #known = new Map<string, Known>();
  readonly #walks = new Map<string, Promise<void>>();
  readonly #measure: typeof workspaceUsage;
  #last: Promise<void> = Promise.resolve();

  constructor(measure: typeof workspaceUsage = workspaceUsage) {
    this.#measure = measure;
  }

  /** Usage of a folder, measured again if that is done within `waitMs`. */
  async usage(path: string, waitMs: number): Promise<WorkspaceUsage> {
    const known = this.#known.get(path);
    if (known !== undefined && performance.now() - known.atMs < FRESH_MS) return known.usage;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, waitMs));
    });
    await Promise.race([this.#walk(path), over]);
    clearTimeout(timer);
    return this.#known.get(path)?.usage ?? UNKNOWN;
  }

  /** Known usage of a folder, without reading it, since an agent may be writing there. */
  known(path: string): WorkspaceUsage {
    return this.#known.get(path)?.usage ?? UNKNOWN;
  }

  /** Stores usage that was measured from inside the folder's container. */
  report(path: string, diskBytes: number, nowMs: number): void {
    const usage = { diskBytes, entries: 0, lastModifiedMs: nowMs, complete: true };
    this.#known.set(path, { usage, atMs: performance.now() });
  }

  /** Drops the usage, so that it is measured again on the next request. */
  forget(path: string): void {
    this.#known.delete(path);
  }

  /** Drops the usage of every other folder. */
  keepOnly(paths: ReadonlySet<string>): void {
    for (const path of this.#known.keys()) if (!paths.has(path)) this.#known.delete(path);
  }

  #walk(path: string): Promise<void> {
    const running = this.#walks.get(path);
    if (running !== undefined) return running;
    const walk = this.#last.then(async () => {
      try {
        const usage = await this.#measure(path, { signal: AbortSignal.timeout(WALK_LIMIT_MS) });
        this.#known.set(path, { usage, atMs: performance.now() });
      } catch {
        // The folder is unreadable: its usage stays unknown, and a list must not fail.
        this.#known.delete(path);
      } finally {
        this.#walks.delete(path);
      }
    });
    this.#walks.set(path, walk);
    this.#last = walk;
    return walk;
  }
}
