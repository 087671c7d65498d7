import { randomUUID } from 'node:crypto';
import type { NewSessionRequest, PromptRequest } from '@agentclientprotocol/sdk';
import type {
  EngineEvent,
  EngineSession,
  OpenSession,
  SteerOutcome,
  TurnInput,
} from '../../agent-engine.ts';
import {
  EngineExitedError,
  EngineRequestError,
  EngineTimeoutError,
  SessionClosedError,
} from '../../json-rpc/engine-errors.ts';
import { asGarbage, type JsonLine } from '../../json-rpc/json-lines.ts';
import { readEngine } from '../../json-rpc/read-engine.ts';
import { METHOD_NOT_FOUND, RpcClient, type ServerAnswer } from '../../json-rpc/rpc-client.ts';
import type { RpcId } from '../../json-rpc/rpc-message.ts';
import { EventQueue } from '../../session/event-queue.ts';
import { OpenQuestions } from '../../session/open-questions.ts';
import { OwedReplies } from '../../session/owed-replies.ts';
import type { AcpProfile } from '../acp-profile.ts';
import { AGENT_METHODS, CLIENT_METHODS } from '../agent-methods.ts';
import { initialize } from '../initialize.ts';
import { PermissionRequest, SessionOpened, SessionUpdate } from '../session-update.ts';
import { AcpJournal } from './acp-journal.ts';
import { AgentUpdates } from './agent-updates.ts';
import { answerPermission } from './answer-permission.ts';
import { LiveTurn } from './live-turn.ts';
import { ANSWER_FORMAT, mapForm, replyToForm } from './map-form.ts';
import { SessionOptions } from './session-options.ts';
import { ToolCalls } from './tool-calls.ts';

const INVALID_PARAMS = -32602;

/** All in milliseconds. */
export type SessionTimeouts = {
  /** From the agent's start to its first answer, and for opening a session. */
  startTimeoutMs: number;
  /** For every other call; a prompt lasts as long as its turn. */
  requestTimeoutMs: number;
  /** From a cancellation to the turn's end. */
  cancelTimeoutMs: number;
  /**
   * How long the answer to a prompt that joined a turn is awaited after the agent's last message.
   */
  joinedTimeoutMs: number;
};

/** A session with a running agent that speaks the Agent Client Protocol, version 1. */
export class AcpSession implements EngineSession {
  readonly #options: OpenSession;
  readonly #profile: AcpProfile;
  readonly #journal: AcpJournal;
  readonly #timeouts: SessionTimeouts;
  readonly #rpc: RpcClient;
  readonly #queue: EventQueue;
  readonly #reading = new AbortController();
  readonly #turn: LiveTurn;
  readonly #updates: AgentUpdates;
  readonly #tools: ToolCalls;
  readonly #questions: OpenQuestions;
  readonly #replies: OwedReplies;
  readonly #settings = new SessionOptions();
  #opening = false;
  #reportedLate = false;
  #warnedNoTools = false;
  #line = { start: 0, end: 0 };

  private constructor(options: OpenSession, profile: AcpProfile, timeouts: SessionTimeouts) {
    const journal = new AcpJournal(options.journal);
    if (options.adopted) journal.load();
    if (options.adopted && options.threadId) journal.threadIs(options.threadId);
    this.#options = options;
    this.#profile = profile;
    this.#journal = journal;
    this.#timeouts = timeouts;
    this.#line = { start: journal.stdoutOffset, end: journal.stdoutOffset };
    const queue = new EventQueue((offset) => journal.processedUpTo(offset));
    this.#queue = queue;
    const handlers = {
      notification: (method: string, params: unknown) => this.#notified(method, params),
      serverRequest: (id: RpcId, method: string, params: unknown) =>
        this.#asked(id, method, params),
      idTaken: (nextId: number) => journal.idTaken(nextId),
    };
    const write = (bytes: Uint8Array): Promise<void> => options.stdio.write(bytes);
    this.#rpc = new RpcClient(write, journal.nextRpcId, handlers, { jsonrpc: '2.0' });
    const tell = (event: EngineEvent): void => queue.push(event);
    const reply = (id: RpcId, answer: ServerAnswer): Promise<void> => this.#rpc.reply(id, answer);
    this.#replies = new OwedReplies(journal, { reply, tell });
    this.#questions = new OpenQuestions(journal, ANSWER_FORMAT, { replies: this.#replies, tell });
    const { workspacePath } = options;
    this.#tools = new ToolCalls(journal, profile, workspacePath, { tell, nowMs: Date.now });
    this.#updates = new AgentUpdates(this.#tools, {
      tell,
      markBefore: () => queue.mark(this.#line.start),
      lineStart: () => this.#line.start,
    });
    this.#turn = new LiveTurn(journal, this.#rpc, timeouts, {
      queue,
      closing: (turnId, { cancelled }) => {
        this.#updates.closeText();
        this.#tools.turnEnded(cancelled ? 'interrupted' : 'unknown');
        this.#questions.turnEnds(turnId);
      },
    });
  }

  /**
   * Opens a session. Rejects when the agent ends or is silent before it is ready, or when the
   * journal of an adopted one is missing.
   */
  static async open(
    options: OpenSession,
    profile: AcpProfile,
    timeouts: SessionTimeouts,
  ): Promise<AcpSession> {
    const session = new AcpSession(options, profile, timeouts);
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
    return this.#journal.agent.version;
  }

  get events(): AsyncIterable<EngineEvent> {
    return this.#queue;
  }

  get threadId(): string | null {
    return this.#journal.threadId;
  }

  async startThread({ cwd }: { cwd: string }): Promise<{ threadId: string }> {
    return { threadId: await this.#openThread(AGENT_METHODS.session.new, { cwd }) };
  }

  async resumeThread({
    threadId,
    cwd,
  }: {
    threadId: string;
    cwd: string;
  }): Promise<{ threadId: string; resumed: boolean }> {
    const { resume } = this.#profile;
    if (resume === 'none') {
      this.#warn('This agent cannot resume a stored thread; a new one begins.');
      return { ...(await this.startThread({ cwd })), resumed: false };
    }
    try {
      await this.#openThread(AGENT_METHODS.session[resume], { sessionId: threadId, cwd });
      return { threadId, resumed: true };
    } catch (error) {
      if (!(error instanceof EngineRequestError)) throw error;
      this.#warn(`The stored thread cannot be resumed (${error.reason}); a new one begins.`);
    }
    return { ...(await this.startThread({ cwd })), resumed: false };
  }

  async startTurn(
    input: TurnInput,
    params: { model: string; reasoningEffort?: string },
  ): Promise<{ turnId: string }> {
    const sessionId = this.#thread();
    await this.#settings.apply(params, {
      set: (configId, value) =>
        this.#call(AGENT_METHODS.session.setConfigOption, { sessionId, configId, value }),
      warn: (message) => this.#warn(message),
    });
    const turnId = `turn-${randomUUID()}`;
    const rpcId = this.#rpc.takeId();
    this.#reportedLate = false;
    this.#turn.begin(turnId, rpcId);
    this.#flushText(input);
    try {
      await this.#prompt(rpcId, sessionId, input);
    } catch (error) {
      this.#turn.abandon(turnId);
      throw error;
    }
    return { turnId };
  }

  async steer(input: TurnInput): Promise<SteerOutcome> {
    if (this.#turn.state !== 'live') return 'no_turn';
    const { steer } = this.#profile;
    const sessionId = this.#thread();
    if (steer.by === 'none') return 'queued';
    if (steer.by === 'prompt') {
      const rpcId = this.#rpc.takeId();
      this.#turn.join(rpcId);
      await this.#prompt(rpcId, sessionId, input);
    } else if (!(await this.#steerBy(steer.method, sessionId, input))) return 'queued';
    this.#flushText(input);
    return 'joined';
  }

  async interrupt(): Promise<void> {
    const turnId = this.#turn.id;
    if (turnId === null) return;
    const cancelled = this.#turn.cancel(this.#thread());
    // Closes its questions: an agent that waits for a person would wait for ever.
    this.#questions.turnEnds(turnId);
    await cancelled;
  }

  get openRequests(): string[] {
    return [...this.#journal.requests.keys()];
  }

  answer(requestId: string, answers: Record<string, string[]>): Promise<boolean> {
    return this.#questions.answer(requestId, answers);
  }

  /** Disconnects from the agent without ending it. */
  close(): void {
    this.#rpc.fail(new SessionClosedError());
    this.#turn.close();
    this.#reading.abort();
    this.#queue.end();
  }

  /** Takes over an initialised agent; answers that a dead runner owed it are sent now. */
  async #takeOver(): Promise<void> {
    this.#turn.takeOver();
    void this.#read();
    await this.#rpc.endHalfWrittenLine();
    this.#replies.sendAgain();
    if (this.#turn.state === 'cancelled') {
      // The former process may have died before it sent the cancellation.
      this.#turn.cancel(this.#thread()).catch(() => undefined);
    }
  }

  async #initialize(): Promise<void> {
    void this.#read();
    this.#journal.agentIs(await initialize(this.#rpc, this.#timeouts.startTimeoutMs));
  }

  async #openThread(method: string, params: { cwd: string; sessionId?: string }): Promise<string> {
    const request = {
      ...params,
      mcpServers: [...this.#toolServers(), ...this.#repositoryServers()],
      ...this.#profile.sessionMeta?.(this.#options),
    };
    let threadId = '';
    this.#opening = true;
    try {
      await this.#rpc.request(method, request, {
        timeoutMs: this.#timeouts.startTimeoutMs,
        onResult: (raw) => {
          threadId = params.sessionId ?? SessionOpened.parse(raw ?? {}).sessionId ?? '';
          if (threadId === '')
            throw new Error(`${method}: the agent opened a session without an id`);
          this.#settings.opened(raw ?? {});
          this.#journal.threadIs(threadId);
        },
      });
    } finally {
      this.#opening = false;
    }
    return threadId;
  }

  #toolServers(): NewSessionRequest['mcpServers'] {
    const { toolServer } = this.#options;
    if (toolServer === undefined) return [];
    const { name, url, headers } = toolServer;
    const own = this.#profile.mcpServers?.(toolServer);
    if (own !== undefined) return own as NewSessionRequest['mcpServers'];
    if (!this.#journal.agent.httpTools) {
      if (!this.#warnedNoTools)
        this.#warn('This agent reaches no tools over HTTP; it has only its own.');
      this.#warnedNoTools = true;
      return [];
    }
    const pairs = Object.entries(headers).map(([key, value]) => ({ name: key, value }));
    return [{ type: 'http', name, url, headers: pairs }];
  }

  /** The repository's servers; those over HTTP are left out if the agent does not support HTTP. */
  #repositoryServers(): NewSessionRequest['mcpServers'] {
    const { repositoryServers = [] } = this.#options;
    const pairs = (record: Record<string, string>) =>
      Object.entries(record).map(([name, value]) => ({ name, value }));
    return repositoryServers.flatMap((server): NewSessionRequest['mcpServers'] => {
      const { name } = server;
      if ('command' in server) return [{ ...server, name, env: pairs(server.env) }];
      if (!this.#journal.agent.httpTools) return [];
      return [{ type: 'http', name, url: server.url, headers: pairs(server.headers) }];
    });
  }

  #prompt(rpcId: RpcId, sessionId: string, { text }: TurnInput): Promise<void> {
    const params = { sessionId, prompt: [{ type: 'text', text }] } satisfies PromptRequest;
    const { prompt: method } = AGENT_METHODS.session;
    return this.#inTime(method, this.#rpc.send(rpcId, method, params));
  }

  /**
   * Sends a message to the turn by the agent's own method; false when the agent did not accept it.
   */
  async #steerBy(method: string, sessionId: string, { text }: TurnInput): Promise<boolean> {
    try {
      const answer = await this.#call(method, { sessionId, prompt: [{ type: 'text', text }] });
      const isRecord = typeof answer === 'object' && answer !== null;
      return isRecord && 'outcome' in answer && answer.outcome === 'injected';
    } catch (error) {
      if (error instanceof EngineRequestError) return false;
      throw error;
    }
  }

  #call(method: string, params: unknown): Promise<unknown> {
    return this.#rpc.request(method, params, { timeoutMs: this.#timeouts.requestTimeoutMs });
  }

  /** Limits a write: an agent that does not read its input must not block its caller. */
  async #inTime(method: string, written: Promise<void>): Promise<void> {
    const timeoutMs = this.#timeouts.requestTimeoutMs;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new EngineTimeoutError(method, timeoutMs)), timeoutMs);
    });
    try {
      await Promise.race([written, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #thread(): string {
    const { threadId } = this.#journal;
    if (threadId === null) throw new Error('no thread was started in this session');
    return threadId;
  }

  #flushText({ text, clientMessageId: clientId }: TurnInput): void {
    const item = { type: 'user_message' as const, text, clientId };
    this.#queue.push({ kind: 'item_ended', itemId: clientId, item });
  }

  #warn(message: string): void {
    this.#queue.push({ kind: 'notice', level: 'warning', message });
  }

  #read(): Promise<void> {
    return readEngine(this.#options.stdio, this.#journal.stdoutOffset, this.#reading, {
      line: (line) => {
        this.#received(line);
        if (!this.#updates.isTextOpen) this.#queue.mark(line.endOffset);
        return this.#queue.room();
      },
      failed: (error) => {
        this.#rpc.fail(error);
        if (error instanceof EngineExitedError) return;
        this.#queue.push({ kind: 'notice', level: 'error', message: error.message });
      },
      ended: () => {
        this.#updates.closeText();
        this.#turn.close();
        this.#queue.end();
      },
    });
  }

  #received(line: JsonLine): void {
    this.#line = { start: this.#line.end, end: line.endOffset };
    this.#turn.progress();
    if (line.kind === 'json' && this.#rpc.receive(line.value)) return;
    this.#updates.closeText();
    this.#queue.push(asGarbage(line));
  }

  #notified(method: string, params: unknown): void {
    if (method !== CLIENT_METHODS.update) return;
    const scope = SessionUpdate.safeParse(params);
    if (!scope.success) return this.#warn('an update of the agent had an unknown form');
    // Ignores updates of sub-agents and other sessions, and the history that loading a session
    // repeats.
    if (scope.data.sessionId !== this.#journal.threadId || this.#opening) return;
    const turnId = this.#turn.id;
    if (turnId === null) return this.#late(scope.data.update.sessionUpdate);
    if (!this.#updates.received(params, turnId)) {
      this.#warn('an update of the agent had an unknown form');
    }
  }

  /** Work after the end of a turn belongs to no turn and must not count for the next one. */
  #late(kind: string): void {
    if (this.#reportedLate || !/^(agent_|tool_call|plan$)/.test(kind)) return;
    this.#reportedLate = true;
    this.#warn('The agent went on after it had ended its turn; what it did then is not shown.');
  }

  #asked(rpcId: RpcId, method: string, params: unknown): void {
    this.#updates.closeText();
    if (method === CLIENT_METHODS.requestPermission) {
      this.#replies.send(rpcId, this.#permit(params));
    } else if (method === CLIENT_METHODS.elicit) {
      this.#askedForm(rpcId, params);
    } else {
      const message = `${method} is not supported by this client`;
      this.#replies.send(rpcId, { error: { code: METHOD_NOT_FOUND, message } });
    }
  }

  /** Asks people with a form of this session; any other gets an immediate answer. */
  #askedForm(rpcId: RpcId, params: unknown): void {
    const form = mapForm(params);
    const { threadId } = this.#journal;
    const isOurs = form !== null && (form.sessionId === null || form.sessionId === threadId);
    const turnId = this.#turn.id;
    if (!isOurs || turnId === null) {
      this.#replies.send(rpcId, replyToForm({ action: 'decline' }));
    } else if (form.questions.length === 0) {
      this.#replies.send(rpcId, replyToForm({ action: 'accept', content: {} }));
    } else this.#questions.asked(rpcId, { ...form, turnId });
  }

  #permit(params: unknown): ServerAnswer {
    const parsed = PermissionRequest.safeParse(params);
    if (!parsed.success) {
      return { error: { code: INVALID_PARAMS, message: 'no options were given' } };
    }
    const { sessionId, toolCall } = parsed.data;
    const isOurs = sessionId === this.#journal.threadId;
    const state = isOurs ? this.#turn.state : 'none';
    if (state === 'live' && toolCall) this.#tools.updated(toolCall);
    return { result: answerPermission(parsed.data, state) };
  }
}
