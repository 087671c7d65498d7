import type { EngineSession } from './agent-engine.ts';

/** Sessions of attempts that go on now, by the key of their lease: operators may ask them. */
export class LiveSessions {
  readonly #sessions = new Map<string, EngineSession>();

  add(key: string, session: EngineSession): void {
    this.#sessions.set(key, session);
  }

  delete(key: string): void {
    this.#sessions.delete(key);
  }

  /** The session whose thread of interest this is. */
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
