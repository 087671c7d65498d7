const NEVER = new Promise<never>(() => undefined);

type Method = (...args: unknown[]) => unknown;

/**
 * What a process of a test has of the world. Once it is killed, nothing of the world answers it any
 * more and nothing that it still asks for is done, so that it stands still wherever it was.
 */
export class Life {
  readonly #end = new AbortController();
  readonly #commands = new Set<Promise<unknown>>();

  /** Aborts when the process is killed. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** An object of the world as this process has it. */
  bound<T extends object>(object: T): T {
    return new Proxy(object, {
      get: (_target, name) => {
        const value: unknown = Reflect.get(object, name);
        if (typeof value !== 'function') return value;
        const method = value as Method;
        return (...args: unknown[]) =>
          this.signal.aborted ? NEVER : this.#answer(method.apply(object, args));
      },
    });
  }

  /** A command that the process starts, and that may be under way when it is killed. */
  command<T>(start: () => Promise<T>): Promise<T> {
    if (this.signal.aborted) return NEVER;
    const ended = start();
    this.#commands.add(ended);
    const forget = () => void this.#commands.delete(ended);
    ended.then(forget, forget);
    return this.#answer(ended);
  }

  end(): void {
    this.#end.abort();
  }

  /** Resolves when no command of the process is under way. */
  async commandsEnded(): Promise<void> {
    await Promise.allSettled(this.#commands);
  }

  #answer<T>(value: T): T {
    if (!(value instanceof Promise)) return value;
    const unlessOver = () => {
      if (this.signal.aborted) return NEVER;
      return value;
    };
    return value.then(unlessOver, unlessOver) as T;
  }
}
