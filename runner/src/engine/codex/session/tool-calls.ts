import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { OpenSession, ToolAnswer } from '../../agent-engine.ts';
import type { RpcId } from '../../json-rpc/rpc-message.ts';
import { ToolCallParams } from '../turn-params.ts';
import type { ServerAnswer } from '../../json-rpc/rpc-client.ts';
import type { CodexJournal } from './codex-journal.ts';

/** Concurrent tool calls of one engine. */
const MAX_AT_ONCE = 4;
const NOT_HERE: ToolAnswer = { success: false, text: 'This tool is not available here.' };
const BUSY: ToolAnswer = {
  success: false,
  text: 'Too many calls of tools are under way. Wait for one of them to end and call again.',
};
const INTERRUPTED: ToolAnswer = {
  success: false,
  text: 'The call was interrupted. Whether it took effect is not known: look before you repeat it.',
};

/** The engine's calls of its offered tools: each is started once and answered once. */
export class ToolCalls {
  readonly #journal: CodexJournal;
  readonly #call: OpenSession['callTool'];
  readonly #reply: (rpcId: RpcId, answer: ServerAnswer) => void;
  #underWay = 0;

  constructor(
    journal: CodexJournal,
    call: OpenSession['callTool'],
    reply: (rpcId: RpcId, answer: ServerAnswer) => void,
  ) {
    this.#journal = journal;
    this.#call = call;
    this.#reply = reply;
  }

  /** Starts a call and returns; its answer is sent later. */
  asked(rpcId: RpcId, params: unknown): void {
    const parsed = ToolCallParams.safeParse(params);
    if (this.#call === undefined || !parsed.success) return this.#reply(rpcId, asReply(NOT_HERE));
    if (this.#underWay >= MAX_AT_ONCE) return this.#reply(rpcId, asReply(BUSY));
    // A call that is read again after a restart was answered, or its answer is on its way.
    if (!this.#journal.toolCallBegins(rpcId)) return;
    const { tool, arguments: given } = parsed.data;
    this.#underWay += 1;
    const answered = (answer: ToolAnswer): void => {
      this.#underWay -= 1;
      this.#reply(rpcId, asReply(answer));
    };
    this.#call({ tool, arguments: given }).then(answered, (error: unknown) =>
      answered({ success: false, text: `The call failed: ${String(error)}` }),
    );
  }

  /**
   * Answers the calls that a former process started with a failure, since their results are lost.
   */
  takeOver(): void {
    for (const rpcId of this.#journal.toolCallsOpen) this.#reply(rpcId, asReply(INTERRUPTED));
  }
}

/** The tools in the engine's format; empty when there are none. */
export function dynamicTools(tools: readonly ToolSpec[] = []): { dynamicTools?: unknown[] } {
  if (tools.length === 0) return {};
  return { dynamicTools: tools.map((tool) => ({ type: 'function', ...tool })) };
}

function asReply({ success, text }: ToolAnswer): ServerAnswer {
  return { result: { contentItems: [{ type: 'inputText', text: text.toWellFormed() }], success } };
}
