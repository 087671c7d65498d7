import { join } from 'node:path';
import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { Clock } from '../../connection/clock.ts';
import type { LeaseRef } from '../../connection/lease-ref.ts';
import type {
  AgentEngine,
  EngineSession,
  ToolAnswer,
  ToolCall,
} from '../../engine/agent-engine.ts';
import { controlSocketPath } from '../../egress/start-proxy.ts';
import { toolSocketPath } from '../../egress/tools/runner-line.ts';
import { ASK_PERSON } from './ask-person.ts';
import { AttemptTools } from './attempt-tools.ts';
import { EventsBeside } from './events-beside.ts';
import { PersonQuestions, requestIdOf } from './person-questions.ts';
import { SessionWithPeople } from './session-with-people.ts';
import { ToolCallStore } from './tool-call-store.ts';
import { ToolSocket } from './tool-socket.ts';

/** Data and callbacks of an attempt whose engine uses the tool server. */
export type ToolsOfAttempt = {
  ref: LeaseRef;
  offered: readonly ToolSpec[];
  /** Time limit for people's answers, milliseconds; 0: none. */
  requestMs: number;
  callTool: (call: ToolCall) => Promise<ToolAnswer>;
  /** Called when a question of a former process continues, so that the attempt's clocks pause. */
  requestOpened: (requestId: string) => void;
  /** The live turn; null: not known to this process. */
  turnId: () => string | null;
};

/** Tools that are served until `end`. */
export type ServedTools = {
  /** Wraps the session, so that people's answers reach their questions. */
  wrap(session: EngineSession): EngineSession;
  end(): Promise<void>;
};

/**
 * The tool server of all attempts of this runner whose engines need one. Opens its socket and file
 * with the first such attempt.
 */
export class ToolService {
  readonly #dataDir: string;
  readonly #clock: Clock;
  readonly #socket: ToolSocket;
  #opened: Promise<ToolCallStore> | null = null;

  constructor(options: { dataDir: string; clock: Clock }) {
    this.#dataDir = options.dataDir;
    this.#clock = options.clock;
    const path = toolSocketPath(controlSocketPath(options.dataDir));
    this.#socket = new ToolSocket(path);
  }

  async serve(attempt: ToolsOfAttempt): Promise<ServedTools> {
    const { ref, offered, requestMs, callTool } = attempt;
    const clock = this.#clock;
    const store = await (this.#opened ??= this.#open());
    const asked = new Map<string, string>();
    const beside = new EventsBeside((event) => {
      const key = event.kind === 'request' ? asked.get(event.requestId) : undefined;
      if (key !== undefined) store.asked(ref, key);
    });
    const people = new PersonQuestions({
      clock,
      requestMs,
      opened: attempt.requestOpened,
      tell: (event) => beside.push(event),
      turnId: () => attempt.turnId() ?? '',
    });
    const tools = new AttemptTools({ ref, offered, store, clock, callTool, people });
    const stop = this.#socket.serve(ref, {
      offered,
      call: (call) => {
        asked.set(requestIdOf(call.key), call.key);
        return tools.call(call);
      },
      abandoned: (call) => tools.abandoned(call),
    });
    return {
      wrap: (session) => new SessionWithPeople(session, people, beside),
      end: async () => {
        stop();
        people.turnEnded();
        store.drop(ref);
      },
    };
  }

  /** Closes the server. Attempts may continue under the next process of this runner. */
  async close(): Promise<void> {
    const store = await this.#opened?.catch(() => null);
    await this.#socket.close();
    store?.close();
  }

  async #open(): Promise<ToolCallStore> {
    try {
      await this.#socket.listen();
      return new ToolCallStore(join(this.#dataDir, 'tools.db'), this.#clock.nowMs());
    } catch (error) {
      this.#opened = null;
      await this.#socket.close();
      throw error;
    }
  }
}

/** The tools that the tool server offers to an engine; none if it has them natively. */
export function servedTools(
  engine: Pick<AgentEngine, 'tools' | 'capabilities'>,
  tools: readonly ToolSpec[] | undefined,
): readonly ToolSpec[] {
  if (engine.tools !== 'mcp') return [];
  const asking = engine.capabilities.questions ? [] : [ASK_PERSON];
  return [...(tools ?? []), ...asking];
}
