import type { EngineOperation, EngineOutcome } from '@switchyard/shared/protocol/engine-operations';
import type { EngineStdio, OpenOperator, OperatorSession } from '../agent-engine.ts';
import { EngineTimeoutError, SessionClosedError } from '../json-rpc/engine-errors.ts';
import { PROVIDER_ID } from './launch-codex.ts';
import { initialize } from './initialize.ts';
import type { JsonLine } from '../json-rpc/json-lines.ts';
import { operate } from './operate.ts';
import { readEngine } from '../json-rpc/read-engine.ts';
import { METHOD_NOT_FOUND, RpcClient } from '../json-rpc/rpc-client.ts';

/** Limit on one engine's total output, which stays on the runner's disk until it ends. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** Limit on lines that are no protocol message; beyond it the engine counts as broken. */
const MAX_GARBAGE_LINES = 1_000;

/** An operator session with an `app-server` that does no work. All its requests are refused. */
export class CodexOperator implements OperatorSession {
  readonly #rpc: RpcClient;
  readonly #reading = new AbortController();
  readonly #policy: Record<string, unknown>;
  #engineVersion = '';
  #garbageLines = 0;

  private constructor(stdio: EngineStdio, emptyFolder: string) {
    this.#policy = {
      modelProvider: PROVIDER_ID,
      approvalPolicy: 'never',
      sandbox: 'read-only',
      // Not the thread's own folder, whose content an agent wrote.
      cwd: emptyFolder,
    };
    this.#rpc = new RpcClient((bytes) => stdio.write(bytes), 1, {
      notification: () => undefined,
      serverRequest: (id) => {
        const error = { code: METHOD_NOT_FOUND, message: 'nobody works here' };
        // An engine that has ended needs no answer; its exit is reported to every open call.
        this.#rpc.reply(id, { error }).catch(() => undefined);
      },
      idTaken: () => undefined,
    });
    void readEngine(stdio, 0, this.#reading, {
      line: (line) => Promise.resolve(this.#received(line)),
      failed: (error) => this.#rpc.fail(error),
      ended: () => this.#rpc.fail(new SessionClosedError()),
    });
  }

  static async open(options: OpenOperator): Promise<CodexOperator> {
    const operator = new CodexOperator(options.stdio, options.emptyFolder);
    try {
      operator.#engineVersion = await initialize(operator.#rpc, options.startTimeoutMs);
    } catch (error) {
      operator.close();
      throw error;
    }
    return operator;
  }

  get engineVersion(): string {
    return this.#engineVersion;
  }

  ask(operation: EngineOperation, requestTimeoutMs: number): Promise<EngineOutcome> {
    return operate(operation, {
      ask: (method, params) => this.#request(method, params, requestTimeoutMs),
      version: this.#engineVersion,
      policy: this.#policy,
      loadsThreads: true,
    });
  }

  /** Disconnects from the engine without ending it. */
  close(): void {
    this.#rpc.fail(new SessionClosedError());
    this.#reading.abort();
  }

  /** Sends a request; after a timeout the engine is no longer used. */
  async #request(
    method: string,
    params: Record<string, unknown> | undefined,
    timeoutMs: number,
  ): Promise<unknown> {
    try {
      return await this.#rpc.request(method, params, { timeoutMs });
    } catch (error) {
      if (error instanceof EngineTimeoutError) this.close();
      throw error;
    }
  }

  #received(line: JsonLine): void {
    const understood = line.kind === 'json' && this.#rpc.receive(line.value);
    if (!understood) this.#garbageLines += 1;
    if (this.#garbageLines > MAX_GARBAGE_LINES || line.endOffset > MAX_OUTPUT_BYTES) {
      this.#rpc.fail(new Error('the engine says too much that is no answer'));
      this.#reading.abort();
    }
  }
}
