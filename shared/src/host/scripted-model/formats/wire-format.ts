import type { IncomingHttpHeaders } from 'node:http';
import type { WireApi } from '../../../model-providers/wire-api.ts';
import type { Refusal, Usage } from '../step.ts';

/** A tool that a request offers to the model. */
export type OfferedTool = {
  name: string;
  /** Names of its arguments; empty where the tool takes free text. */
  properties: readonly string[];
  required: readonly string[];
};

/** What a request says, whatever its format. */
export type ParsedRequest = {
  model: string;
  /** Raw items or messages, oldest first. */
  input: unknown[];
  tools: readonly OfferedTool[];
  systemText: string;
  /** Everything that was said to the model as the user, oldest first. */
  userTexts: string[];
  /** Results of the model's tool calls, oldest first. */
  toolOutputs: string[];
  /** Conversation and turn as the engine's headers name them; empty where they name none. */
  threadId: string;
  turnId: string;
  /** Rounds of tool results in the present turn, where the messages alone tell it. */
  rounds?: number;
  /** False: the answer is one JSON object. */
  isStreamed: boolean;
  /** The format's own wish for usage in a stream. */
  wantsUsage: boolean;
};

/** One output as the format sends it: tools are chosen by now. */
export type AnswerOutput =
  | { type: 'message'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool'; name: string; arguments: unknown }
  /** A tool that takes text; only the Responses API has them. */
  | { type: 'custom_tool'; name: string; input: string };

export type Answer = {
  /** Distinguishes item and response ids of different calls. */
  callId: string;
  model: string;
  outputs: readonly AnswerOutput[];
  usage: Usage;
  wantsUsage: boolean;
};

/** One event of a stream; `pause`: a piece of text, after which a slow model waits. */
export type WireEvent = { event?: string; data: unknown; pause?: true };

/** An HTTP answer that refuses. */
export type RefusedAnswer = { status: number; headers: Record<string, string>; body: unknown };

/** How one kind of model provider is asked and answers, as its publisher describes it. */
export interface WireFormat {
  readonly wireApi: WireApi;
  /** Throws for a body that is no request of this format. */
  parse(body: unknown, request: { headers: IncomingHttpHeaders; path: string }): ParsedRequest;
  /** The key that a request carries; empty: none. */
  keyOf(headers: IncomingHttpHeaders, query: URLSearchParams): string;
  refuse(refusal: Refusal, nowMs: number): RefusedAnswer;
  /** The whole answer as one object, for a request that wants no stream. */
  whole(answer: Answer): unknown;
  begin(answer: Answer): WireEvent[];
  output(answer: Answer, index: number): WireEvent[];
  end(answer: Answer): WireEvent[];
  /** A message that goes on for as long as there are pieces. */
  openMessage(answer: Answer, index: number): WireEvent[];
  messagePiece(answer: Answer, index: number, text: string): WireEvent;
  /** Refusals that it gives inside a stream that began, and not as the answer's status. */
  readonly refusesInside?: readonly Refusal['kind'][];
  /** A failure after the headers went out; what it cannot say inside a stream is `null`. */
  failInside(refusal: Refusal, answer: Answer): WireEvent[] | null;
}
