import type { EngineOperation, EngineOutcome } from '@switchyard/shared/protocol/engine-operations';
import type {
  EngineEvent,
  EngineSession,
  EngineStdio,
  OpenSession,
  SteerOutcome,
  TurnInput,
} from '../../agent-engine.ts';
import { AccountLimits } from '../account-limits.ts';
import { answerServerRequest } from './answer-server-request.ts';
import { RpcClient, type ServerAnswer } from '../../json-rpc/rpc-client.ts';
import {
  EngineExitedError,
  EngineRequestError,
  SessionClosedError,
} from '../../json-rpc/engine-errors.ts';
import { EventQueue } from '../../session/event-queue.ts';
import { initialize } from '../initialize.ts';
import { PROVIDER_ID } from '../launch-codex.ts';
import { asGarbage, type JsonLine } from '../../json-rpc/json-lines.ts';
import { mapNotification } from './map-notification.ts';
import { ANSWER_FORMAT, mapQuestions } from './map-questions.ts';
import { OpenQuestions } from '../../session/open-questions.ts';
import { operate } from '../operate.ts';
import { OwedReplies } from '../../session/owed-replies.ts';
import * as protocol from '../turn-params.ts';
import type { RpcId } from '../../json-rpc/rpc-message.ts';
import { readEngine } from '../../json-rpc/read-engine.ts';
import { CodexJournal } from './codex-journal.ts';
import { dynamicTools, ToolCalls } from './tool-calls.ts';

const THREAD_POLICY = {
  modelProvider: PROVIDER_ID,
  approvalPolicy: 'never',
  sandbox: 'danger-full-access',
};

const NO_LIVE_TURN = /no active turn|expected active turn id|turn not found/i;

export type SessionTimeouts = {
  /** Timeout of each call to the engine, milliseconds. */
  requestTimeoutMs: number;
};

/** A session with a running `app-server` and one main thread. */
export class CodexSession implements EngineSession {
  readonly #stdio: EngineStdio;
  readonly #workspacePath: string | undefined;
  readonly #journal: CodexJournal;
  readonly #requestTimeoutMs: number;
  readonly #rpc: RpcClient;
  readonly #queue: EventQueue;
  readonly #reading = new AbortController();
  readonly #limits = new AccountLimits();
  readonly #tools: ToolCalls;
  readonly #questions: OpenQuestions;
  readonly #replies: OwedReplies;
  #lastNotice = '';

  constructor(
    { stdio, callTool, workspacePath }: OpenSession,
    journal: CodexJournal,
    timeouts: SessionTimeouts,
  ) {
    this.#stdio = stdio;
    this.#workspacePath = workspacePath;
    this.#journal = journal;
    this.#requestTimeoutMs = timeouts.requestTimeoutMs;
    this.#queue = new EventQueue((offset) => journal.processedUpTo(offset));
    this.#rpc = new RpcClient((bytes) => stdio.write(bytes), journal.nextRpcId, {
      notification: (method, params) => this.#notified(method, params),
      serverRequest: (id, method, params) => this.#asked(id, method, params),
      idTaken: (nextId) => journal.idTaken(nextId),
    });
    const engine = {
      reply: (rpcId: RpcId, answer: ServerAnswer) => this.#rpc.reply(rpcId, answer),
      tell: (event: EngineEvent) => this.#queue.push(event),
    };
    const replies = new OwedReplies(journal, engine);
    this.#replies = replies;
    this.#questions = new OpenQuestions(journal, ANSWER_FORMAT, { replies, tell: engine.tell });
    this.#tools = new ToolCalls(journal, callTool, (rpcId, answer) => replies.send(rpcId, answer));
  }

  /**
   * Opens a session. Rejects when the engine ends or is silent before it is ready, or when the
   * journal of an adopted one is missing.
   */
  static async open(options: OpenSession, timeouts: SessionTimeouts): Promise<CodexSession> {
    const journal = new CodexJournal(options.journal);
    if (options.adopted) journal.load();
    if (options.adopted && options.threadId) journal.threadIs(options.threadId);
    const session = new CodexSession(options, journal, timeouts);
    void session.#read();
    try {
      if (options.adopted) await session.#takeOver();
      else await session.#initialize();
    } catch (error) {
      session.close();
      throw error;
    }
    return session;
  }

  get engineVersion(): string {
    return this.#journal.engineVersion;
  }

  get events(): AsyncIterable<EngineEvent> {
    return this.#queue;
  }

  get threadId(): string | null {
    return this.#journal.threadId;
  }

  ask(operation: EngineOperation, requestTimeoutMs: number): Promise<EngineOutcome> {
    return operate(operation, {
      ask: (method, params) => this.#rpc.request(method, params, { timeoutMs: requestTimeoutMs }),
      version: this.engineVersion,
      policy: THREAD_POLICY,
      loadsThreads: false,
    });
  }

  async startThread({
    tools,
    ...params
  }: Parameters<EngineSession['startThread']>[0]): Promise<{ threadId: string }> {
    const given = { ...params, ...dynamicTools(tools) };
    return { threadId: await this.#openThread('thread/start', given) };
  }

  async resumeThread({
    threadId: stored,
    ...params
  }: Parameters<EngineSession['resumeThread']>[0]): Promise<{
    threadId: string;
    resumed: boolean;
  }> {
    const { cwd, model } = params;
    try {
      const given = { threadId: stored, cwd, model, excludeTurns: true };
      const threadId = await this.#openThread('thread/resume', given);
      return { threadId, resumed: true };
    } catch (error) {
      if (!(error instanceof EngineRequestError)) throw error;
      const message = `The stored thread cannot be resumed (${error.reason}); a new one begins.`;
      this.#queue.push({ kind: 'notice', level: 'warning', message });
    }
    const { threadId } = await this.startThread(params);
    return { threadId, resumed: false };
  }

  async startTurn(
    input: TurnInput,
    params: { model: string; reasoningEffort?: string },
  ): Promise<{ turnId: string }> {
    const live = this.#journal.turnId;
    if (live !== null) throw new Error(`turn ${live} is still live; steer it instead`);
    const effort = params.reasoningEffort === undefined ? {} : { effort: params.reasoningEffort };
    const turn = { ...this.#inThread(), ...messageOf(input), model: params.model, ...effort };
    const result = await this.#call('turn/start', turn, (raw) => {
      this.#journal.turnBegan(protocol.TurnResult.parse(raw).turn.id);
    });
    return { turnId: protocol.TurnResult.parse(result).turn.id };
  }

  async steer(input: TurnInput): Promise<SteerOutcome> {
    const expectedTurnId = this.#journal.turnId;
    if (expectedTurnId === null) return 'no_turn';
    try {
      const params = { ...this.#inThread(), expectedTurnId, ...messageOf(input) };
      await this.#call('turn/steer', params);
      return 'joined';
    } catch (error) {
      if (isNoLiveTurn(error)) return 'no_turn';
      throw error;
    }
  }

  /** Interrupts the turn and ends its commands, which the engine leaves running. */
  async interrupt(): Promise<void> {
    const turnId = this.#journal.turnId;
    if (turnId !== null) {
      try {
        await this.#call('turn/interrupt', { ...this.#inThread(), turnId });
      } catch (error) {
        if (!isNoLiveTurn(error)) throw error;
      }
    }
    if (this.#journal.threadId === null) return;
    await this.#call('thread/backgroundTerminals/clean', this.#inThread());
  }

  get openRequests(): string[] {
    return [...this.#journal.requests.keys()];
  }

  answer(requestId: string, answers: Record<string, string[]>): Promise<boolean> {
    return this.#questions.answer(requestId, answers);
  }

  /** Disconnects from the engine without ending it. */
  close(): void {
    this.#rpc.fail(new SessionClosedError());
    this.#reading.abort();
    this.#queue.end();
  }

  /** Takes over an initialised engine; answers that a dead runner owed it are sent now. */
  async #takeOver(): Promise<void> {
    await this.#rpc.endHalfWrittenLine();
    this.#replies.sendAgain();
    this.#tools.takeOver();
  }

  async #initialize(): Promise<void> {
    const timeoutMs = this.#requestTimeoutMs;
    this.#journal.engineIs(await initialize(this.#rpc, timeoutMs));
  }

  async #openThread(method: string, params: Record<string, unknown>): Promise<string> {
    const result = await this.#call(method, { ...params, ...THREAD_POLICY }, (raw) => {
      this.#journal.threadIs(protocol.ThreadResult.parse(raw).thread.id);
    });
    return protocol.ThreadResult.parse(result).thread.id;
  }

  #call(method: string, params: unknown, onResult?: (raw: unknown) => void): Promise<unknown> {
    const timeoutMs = this.#requestTimeoutMs;
    return this.#rpc.request(method, params, onResult ? { timeoutMs, onResult } : { timeoutMs });
  }

  #inThread(): { threadId: string } {
    const { threadId } = this.#journal;
    if (threadId === null) throw new Error('no thread was started in this session');
    return { threadId };
  }

  #read(): Promise<void> {
    return readEngine(this.#stdio, this.#journal.stdoutOffset, this.#reading, {
      line: (line) => {
        this.#received(line);
        this.#queue.mark(line.endOffset);
        return this.#queue.room();
      },
      failed: (error) => {
        this.#rpc.fail(error);
        if (error instanceof EngineExitedError) return;
        this.#queue.push({ kind: 'notice', level: 'error', message: error.message });
      },
      ended: () => this.#queue.end(),
    });
  }

  #received(line: JsonLine): void {
    if (line.kind === 'json' && this.#rpc.receive(line.value)) return;
    this.#queue.push(asGarbage(line));
  }

  #notified(method: string, params: unknown): void {
    if (!this.#concernsUs(params)) return;
    if (method === 'account/rateLimits/updated') this.#limits.note(params);
    const resolved = protocol.ResolvedParams.safeParse(params);
    if (method === 'serverRequest/resolved' && resolved.success)
      this.#questions.resolved(resolved.data.requestId);
    const context = { limits: this.#limits.windows, workspacePath: this.#workspacePath };
    for (const event of mapNotification(method, params, context)) {
      if (event.kind === 'turn_started') this.#journal.turnBegan(event.turnId);
      if (event.kind === 'turn_ended') {
        this.#journal.turnEnded(event.turnId);
        this.#questions.turnEnds(event.turnId);
      }
      if (!this.#isRepeated(event)) this.#queue.push(event);
    }
  }

  /**
   * Whether a warning repeats the previous one: the engine sends some for itself and for the
   * thread.
   */
  #isRepeated(event: EngineEvent): boolean {
    if (event.kind !== 'notice' || event.willRetry) return false;
    const repeated = event.message === this.#lastNotice;
    this.#lastNotice = event.message;
    return repeated;
  }

  #concernsUs(params: unknown): boolean {
    const scope = protocol.Scope.safeParse(params);
    const threadId = scope.success ? scope.data.threadId : null;
    const ours = this.#journal.threadId;
    return !threadId || ours === null || threadId === ours;
  }

  #asked(rpcId: RpcId, method: string, params: unknown): void {
    if (method === 'item/tool/requestUserInput' && this.#concernsUs(params)) {
      const asked = mapQuestions(params);
      if (asked !== null) return this.#questions.asked(rpcId, asked);
    }
    if (method === 'item/tool/call') return this.#tools.asked(rpcId, params);
    this.#replies.send(rpcId, answerServerRequest(method, params));
  }
}

function messageOf({ text, clientMessageId }: TurnInput): Record<string, unknown> {
  return { input: [{ type: 'text', text }], clientUserMessageId: clientMessageId };
}

function isNoLiveTurn(error: unknown): boolean {
  return error instanceof EngineRequestError && NO_LIVE_TURN.test(error.reason);
}
