import type { EngineSession } from './agent-engine.ts';

/** Live sessions of attempts by the key of their lease, which operators may use. */
export class LiveSessions {
  readonly #sessions = new Map<string, EngineSession>();

  add(key: string, session: EngineSession): void {
    this.#sessions.set(key, session);
  }

  delete(key: string): void {
    this.#sessions.delete(key);
  }

  /** The session with this main thread; null: none. */
  ofThread(threadId: string): EngineSession | null {
    return this.#all().find((session) => session.threadId === threadId) ?? null;
  }

  threadIds(): string[] {
    return this.#all().flatMap(({ threadId }) => (threadId ? [threadId] : []));
  }

  #all(): EngineSession[] {
    return [...this.#sessions.values()];
  }
}
