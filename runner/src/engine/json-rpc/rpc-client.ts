import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { EngineStdio } from '../agent-engine.ts';
import { EngineRequestError, EngineTimeoutError } from './engine-errors.ts';
import { RpcMessage, type RpcId } from './rpc-message.ts';

/** JSON-RPC's error code for a request that is not supported. */
export const METHOD_NOT_FOUND = -32601;

export type ServerAnswer = { result: unknown } | { error: { code: number; message: string } };

export type RpcHandlers = {
  notification(method: string, params: unknown): void;
  /** A request of the engine, which must be answered with `reply`. */
  serverRequest(id: RpcId, method: string, params: unknown): void;
  /** Called before a new id is used, so that it is never used twice. */
  idTaken(nextId: number): void;
};

export type RequestOptions = {
  /** Timeout; null: none, for a call that is monitored otherwise. */
  timeoutMs: number | null;
  /** Called before any later message is handled, unlike the returned promise. */
  onResult?: (result: unknown) => void;
  /** As `onResult`, for an error that the engine answers. */
  onRefusal?: (error: EngineRequestError) => void;
};

type OpenCall = {
  method: string;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
  options: RequestOptions;
  timer: NodeJS.Timeout | undefined;
};

/** A JSON-RPC client that writes lines; its caller reads the answers. */
export class RpcClient {
  readonly #write: EngineStdio['write'];
  readonly #handlers: RpcHandlers;
  readonly #calls = new Map<RpcId, OpenCall>();
  /** Fields that every message carries besides its content. */
  readonly #envelope: Record<string, unknown>;
  #nextId: number;
  #failure: Error | null = null;

  /** `envelope`: for engines that require the protocol's version in each message. */
  constructor(
    write: EngineStdio['write'],
    nextId: number,
    handlers: RpcHandlers,
    envelope: Record<string, unknown> = {},
  ) {
    this.#write = write;
    this.#nextId = nextId;
    this.#handlers = handlers;
    this.#envelope = envelope;
  }

  /**
   * Sends a request. Rejects with the engine's error, after `timeoutMs`, or as soon as the
   * connection fails.
   */
  request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    if (this.#failure) return Promise.reject(this.#failure);
    const id = this.takeId();
    const answer = this.expect(id, method, options);
    this.#send({ id, method, params }).catch((error: unknown) => {
      this.#take(id)?.reject(asError(error));
    });
    return answer;
  }

  /** Reserves the id of a request, so that the caller can store it before sending. */
  takeId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#handlers.idTaken(this.#nextId);
    return id;
  }

  /** Sends a request with a reserved id; `expect` resolves with its answer. */
  send(id: RpcId, method: string, params: unknown): Promise<void> {
    return this.#send({ id, method, params });
  }

  /** Awaits the answer to a request that was sent by `send`, or by a former process. */
  expect(id: RpcId, method: string, options: RequestOptions): Promise<unknown> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const { timeoutMs } = options;
      const expire = (limitMs: number): void => {
        this.#calls.delete(id);
        reject(new EngineTimeoutError(method, limitMs));
      };
      const timer = timeoutMs === null ? undefined : setTimeout(expire, timeoutMs, timeoutMs);
      this.#calls.set(id, { method, resolve, reject, options, timer });
    });
  }

  notify(method: string, params?: unknown): Promise<void> {
    return this.#send({ method, ...(params === undefined ? {} : { params }) });
  }

  reply(id: RpcId, answer: ServerAnswer): Promise<void> {
    return this.#send({ id, ...answer });
  }

  /** Writes a newline, which ends a line that a dead process left incomplete. */
  endHalfWrittenLine(): Promise<void> {
    return this.#write(Buffer.from('\n'));
  }

  /** Handles a message; false when the value is none of the protocol. */
  receive(value: unknown): boolean {
    const parsed = RpcMessage.safeParse(value);
    if (!parsed.success) return false;
    const { id, method, params, result, error } = parsed.data;
    if (method !== undefined) {
      if (id === undefined) this.#handlers.notification(method, params);
      else this.#handlers.serverRequest(id, method, params);
      return true;
    }
    if (id === undefined) return false;
    const call = this.#take(id);
    if (call && error) refuse(call, new EngineRequestError(call.method, error));
    else if (call) settle(call, result);
    return true;
  }

  /** Rejects all open calls and every later one. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const id of this.#calls.keys()) this.#take(id)?.reject(this.#failure);
  }

  async #send(message: Record<string, unknown>): Promise<void> {
    if (this.#failure) throw this.#failure;
    await this.#write(Buffer.from(`${toJson({ ...this.#envelope, ...message })}\n`));
  }

  #take(id: RpcId): OpenCall | undefined {
    const call = this.#calls.get(id);
    if (!call) return undefined;
    this.#calls.delete(id);
    clearTimeout(call.timer);
    return call;
  }
}

function settle(call: OpenCall, result: unknown): void {
  try {
    call.options.onResult?.(result);
    call.resolve(result);
  } catch (error) {
    call.reject(asError(error));
  }
}

function refuse(call: OpenCall, error: EngineRequestError): void {
  call.options.onRefusal?.(error);
  call.reject(error);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
