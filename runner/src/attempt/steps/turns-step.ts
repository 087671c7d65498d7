import type { EngineContainer } from '../../container/container-engine.ts';
import type { EngineEvent, EngineSession, TurnInput } from '../../engine/agent-engine.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { AttemptFailed, failureOfTurn } from '../attempt-end.ts';
import type { Companions } from '../companions/companions.ts';
import { continuationText, freshThreadText, withNotices } from './continuation-text.ts';
import { EngineEvents } from './engine-events.ts';
import type { ModelWatch } from '../watch/model-watch.ts';
import { OpenRequests } from '../watch/open-requests.ts';
import { engineTrouble } from '../session/start-engine.ts';
import { QueuedMessages } from './queued-messages.ts';

/** Objections to an agent's work before the attempt ends: a further one would not help. */
const MAX_OBJECTIONS = 3;
/**
 * New threads for a task that exceeds the model's context: a further thread would be exceeded as
 * well.
 */
const MAX_FRESH_THREADS = 2;

type TurnEnded = Extract<EngineEvent, { kind: 'turn_ended' }>;

/** Stands for the end of a turn that a former runner process has already read. */
const OVER: TurnEnded = { kind: 'turn_ended', turnId: '', status: 'completed' };

/**
 * An agent engine at work: the session that is spoken with, where it runs, and what accompanies it.
 */
type RunningEngine = {
  session: EngineSession;
  container: EngineContainer;
  companions: Pick<Companions, 'turnStarting' | 'engineEvent'>;
  model: Pick<ModelWatch, 'failureOf'>;
};

/** Where the turns begin: at the first turn, or inside a turn after a restart of the runner. */
export type TurnsStart = {
  firstText: string;
  /** Notices about the workspace for the agent; `firstText` already contains them. */
  notices?: readonly string[];
  nextTurn: number;
  openTurn: boolean;
  /** The turn ended before the restart, and its work has not been checked yet. */
  turnIsOver?: boolean;
  /**
   * How many objections the agent has received, and how many new threads replaced the first one.
   */
  objections?: number | undefined;
  freshThreads?: number | undefined;
  /** When each open request was asked, as the former process recorded it; epoch milliseconds. */
  requestsAskedAtMs?: Record<string, number> | undefined;
};

export type BetweenTurns = {
  /**
   * Checks the work after a turn. Resolves with the objection for the agent (what it must repair
   * before its work can be delivered), or null.
   */
  afterTurn: () => Promise<string | null>;
  /** Starts a new thread in place of one that exceeds its model's context. */
  freshThread: () => Promise<unknown>;
};

/**
 * Runs turns on one thread until the agent's marker says that it is done or blocked, or its turns
 * are used up. The marker and the agent's summary are stored in `context.result`. Throws
 * AttemptFailed and Stopped.
 */
export async function turnsStep(
  context: AttemptContext,
  engine: RunningEngine,
  start: TurnsStart,
  { afterTurn, freshThread }: BetweenTurns,
): Promise<void> {
  const { spec, control, result, recorder } = context;
  const { session, container, companions, model } = engine;
  const requests = new OpenRequests(context, start.requestsAskedAtMs ?? {}, (requestId) =>
    answerNobody(context, session, requestId),
  );
  for (const requestId of session.openRequests ?? []) requests.opened(requestId);
  const events = new EngineEvents(context, { requests, companions });
  const messages = new QueuedMessages(context);
  const stopServing = serveOrders(context, session, messages);
  const reader = session.events[Symbol.asyncIterator]();
  let { freshThreads = 0 } = start;
  let maxTurns = spec.limits.maxTurns + freshThreads;
  try {
    let { openTurn, turnIsOver = false } = start;
    let objection: string | null = null;
    let { objections = 0 } = start;
    let finished = false;
    for (let turn = start.nextTurn; turn <= maxTurns; turn += 1) {
      let turnId: string | null = null;
      if (!openTurn && !turnIsOver) {
        const next = turn === 1 ? start.firstText : continuationText(turn, maxTurns);
        const text = messages.textWith(objection ?? (finished ? null : next));
        turnId = await beginTurn(context, engine, turn, text);
        await messages.given();
      }
      openTurn = false;
      const reading = { reader, container, events, turn, turnId };
      const ended = turnIsOver ? OVER : await readTurn(context, reading);
      turnIsOver = false;
      control.check();
      const failure = model.failureOf(ended);
      if (failure?.kind === 'context_exceeded' && freshThreads < MAX_FRESH_THREADS) {
        freshThreads += 1;
        recorder.progress({ freshThreads });
        // A turn that exceeded the context does not count.
        maxTurns += 1;
        await freshThread();
        result.marker = null;
        const text = freshThreadText(spec.prompt, result.summary);
        objection = withNotices(text, start.notices);
        continue;
      }
      if (failure !== undefined || ended.status === 'failed') throw failureOfTurn(failure);
      if (ended.status === 'interrupted')
        throw new AttemptFailed('agent_error', 'the turn was interrupted');
      objection = await control.race(afterTurn());
      if (objection !== null) {
        objections += 1;
        recorder.progress({ objections });
      }
      const mayTryAgain = objection !== null && objections <= MAX_OBJECTIONS && turn < maxTurns;
      const messagesWait = !messages.isEmpty && turn < maxTurns;
      if (result.marker !== null && !mayTryAgain && !messagesWait) return;
      finished = result.marker !== null;
      if (objection !== null || messagesWait) result.marker = null;
    }
  } catch (error) {
    // Messages of people are undelivered, so the agent's marker is not final.
    if (!messages.isEmpty) result.marker = null;
    throw error;
  } finally {
    stopServing();
    requests.stop();
  }
}

async function beginTurn(
  context: AttemptContext,
  { session, container, companions }: RunningEngine,
  turn: number,
  text: string,
): Promise<string> {
  const { spec, ref, recorder, control, liveness } = context;
  const { model, reasoningEffort } = spec.engine;
  const { marker } = context.result;
  recorder.progress({ turnNumber: turn, turnOpen: true, marker });
  // Findings about earlier work do not apply to the work of this turn.
  context.saved.work = null;
  companions.turnStarting({ isAdopted: false });
  const input: TurnInput = { text, clientMessageId: `${ref.attemptId}.${ref.epoch}.turn${turn}` };
  const params = reasoningEffort === undefined ? { model } : { model, reasoningEffort };
  try {
    const { turnId } = await control.race(session.startTurn(input, params));
    // Its time begins with the engine's answer, for an engine that reports no start.
    liveness.turnStarted();
    return turnId;
  } catch (error) {
    control.check();
    throw await engineTrouble(context, container, error);
  }
}

/**
 * Reads events until the current turn ends; the reader is shared by all turns. After a restart the
 * end of the previous turn may be reported again and is skipped.
 */
async function readTurn(
  context: AttemptContext,
  reading: {
    reader: AsyncIterator<EngineEvent>;
    container: EngineContainer;
    events: EngineEvents;
    turn: number;
    turnId: string | null;
  },
): Promise<TurnEnded> {
  const { control } = context;
  const { reader, container, events, turn, turnId } = reading;
  for (;;) {
    const next = await control.race(reader.next());
    if (next.done === true) {
      throw await engineTrouble(
        context,
        container,
        new Error('the agent engine closed its output'),
      );
    }
    const { value } = next;
    if (value.kind === 'turn_ended' && turnId !== null && value.turnId !== turnId) continue;
    // Storing waits while the spool is full; the race lets a stop end that wait.
    await control.race(events.handle(value, turn));
    if (value.kind === 'turn_ended') return value;
  }
}

/** Forwards people's messages and answers to the engine while its session lives. */
function serveOrders(
  context: AttemptContext,
  session: EngineSession,
  messages: QueuedMessages,
): () => void {
  return context.control.serve({
    steer: (order) => messages.steer(session, order),
    answer: ({ requestId, answers }) => session.answer(requestId, answers),
    failed: (error) => {
      context.deps.log.warn('an order did not reach the agent', {
        ...context.ref,
        error: String(error),
      });
    },
  });
}

/**
 * Closes a question that nobody answered in time with an empty answer, so that the agent continues.
 */
function answerNobody(context: AttemptContext, session: EngineSession, requestId: string): void {
  const { recorder, deps, ref } = context;
  const message = 'nobody answered the agent in time; it goes on without an answer';
  const recorded = recorder.event('notice', { level: 'warning', message });
  Promise.all([recorded, session.answer(requestId, {})]).catch((error: unknown) => {
    deps.log.warn('an expired request could not be closed', { ...ref, error: String(error) });
  });
}
