import type {
  EngineEvent,
  EngineSession,
  SteerOutcome,
  TurnInput,
} from '../../engine/agent-engine.ts';
import type { EventsBeside } from './events-beside.ts';
import type { PersonQuestions } from './person-questions.ts';

/**
 * A session whose agent asks people through a tool: answers to such questions are handled here,
 * others by the engine's session.
 */
export class SessionWithPeople implements EngineSession {
  readonly #session: EngineSession;
  readonly #people: PersonQuestions;
  readonly events: AsyncIterable<EngineEvent>;
  readonly ask?: NonNullable<EngineSession['ask']>;

  constructor(session: EngineSession, people: PersonQuestions, beside: EventsBeside) {
    this.#session = session;
    this.#people = people;
    this.events = beside.mergedWith(session.events, (event) => {
      if (event.kind === 'turn_ended') people.turnEnded();
    });
    if (session.ask !== undefined) this.ask = session.ask.bind(session);
  }

  get engineVersion(): string {
    return this.#session.engineVersion;
  }

  get threadId(): string | null {
    return this.#session.threadId ?? null;
  }

  /** Questions by the tool continue when the agent's call is repeated. */
  get openRequests(): readonly string[] {
    return this.#session.openRequests ?? [];
  }

  startThread(params: Parameters<EngineSession['startThread']>[0]): Promise<{ threadId: string }> {
    return this.#session.startThread(params);
  }

  resumeThread(
    params: Parameters<EngineSession['resumeThread']>[0],
  ): Promise<{ threadId: string; resumed: boolean }> {
    return this.#session.resumeThread(params);
  }

  startTurn(
    input: TurnInput,
    params: { model: string; reasoningEffort?: string },
  ): Promise<{ turnId: string }> {
    return this.#session.startTurn(input, params);
  }

  steer(input: TurnInput): Promise<SteerOutcome> {
    return this.#session.steer(input);
  }

  interrupt(): Promise<void> {
    return this.#session.interrupt();
  }

  async answer(requestId: string, answers: Record<string, string[]>): Promise<boolean> {
    if (this.#people.answer(requestId, answers)) return true;
    return await this.#session.answer(requestId, answers);
  }

  close(): void {
    this.#session.close();
  }
}
